import type { Column } from '../mapping/helium-catalog.ts';
import { toCells } from './cells.ts';
import type { EnrollmentRound } from './enrollment-round.ts';
import { runRequests } from './run-requests.ts';

/** The columns of either mode. */
interface CodeColumns {
  get(field: 'generateEnrollmentCodeFieldName' | 'enrollmentCodeFieldName'): Column | undefined;
}

/**
 * Creates a new code for each user that requests one. Returns how many were created.
 *
 * @param onDone called after the code of a user was written
 */
export async function runCodeRequests(
  round: EnrollmentRound,
  { table, columns }: { readonly table: string; readonly columns: CodeColumns },
  onDone?: (id: string) => Promise<void>,
): Promise<number> {
  const flag = columns.get('generateEnrollmentCodeFieldName');
  const code = columns.get('enrollmentCodeFieldName');
  if (flag === undefined || code === undefined) return 0;
  return runRequests(round, {
    table,
    flag,
    resultColumns: [code],
    name: 'Enrollment code',
    async prepare(id) {
      let token: string | null = null;
      return {
        before: null,
        async call() {
          ({ token } = await round.client.authenticationToken(id, { signal: round.signal }));
        },
        toResult: () => toCells(new Map([['code', code]]), { code: token }),
      };
    },
    onDone,
  });
}
