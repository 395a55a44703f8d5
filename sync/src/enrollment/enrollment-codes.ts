import type { Column } from '../mapping/helium-catalog.ts';
import { cellsOf } from './cells.ts';
import type { EnrollmentRound } from './enrollment-round.ts';
import { runRequests } from './run-requests.ts';

/** The columns of either mode. */
interface CodeColumns {
  get(field: 'generateEnrollmentCodeFieldName' | 'enrollmentCodeFieldName'): Column | undefined;
}

/** Creates a new code for each user that one is requested for. Returns how many. */
export async function runCodeRequests(round: EnrollmentRound, table: string, columns: CodeColumns): Promise<number> {
  const flag = columns.get('generateEnrollmentCodeFieldName');
  const code = columns.get('enrollmentCodeFieldName');
  if (flag === undefined || code === undefined) return 0;
  return runRequests(round, {
    table,
    flag,
    filled: [code],
    name: 'Enrollment code',
    async carryOut(id) {
      const { token } = await round.client.authenticationToken(id, { signal: round.signal });
      return cellsOf(new Map([['code', code]]), { code: token });
    },
  });
}
