/** Runs a round with a single device per user. */
import { type UserEnrollment, userFieldHints } from '@portal/contract/sync-enrollment';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { journeyPageMax } from '@portal/platforms/journey/wire';
import { toCells } from './cells.ts';
import { runCodeRequests } from './enrollment-codes.ts';
import { type Columns, requireColumns, type UserField } from './enrollment-columns.ts';
import { type EnrollmentOutcome, type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { readJourneyUsers } from './read-journey-users.ts';
import { attemptAll, concernsOneRow, runRequests } from './run-requests.ts';
import { type ListedUser, shownFields, userRows } from './user-mode.ts';
import { updateChanged } from './write-cells.ts';

type Round = EnrollmentRound<UserEnrollment>;

export async function runUserMode(round: Round): Promise<EnrollmentOutcome> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, userFieldHints);
  let requests = await runUserRequests(round);
  const list = await readList(round, columns);
  const shown = shownFields(columns, list !== null);
  let users = 0;
  let withoutEnrollment = 0;
  let rows = 0;
  // A user that is missed because another one was deleted during reading keeps its state until the
  // next round.
  for (let skip = 0; ; ) {
    const page = await round.client.list(enrollment.journeyObjectName, {
      limit: journeyPageMax,
      skip,
      signal: round.signal,
    });
    const reported = userRows(shown, page.objects, list);
    users += page.objects.length;
    withoutEnrollment += page.objects.length - reported.length;
    rows += await inAppTransaction(round, (db) => updateChanged(db, { table, columns: [...shown.values()] }, reported));
    if (!page.more || page.objects.length === 0) break;
    if (round.mayInterrupt && round.pending.hasNew) requests += await runUserRequests(round);
    skip += page.objects.length;
  }
  if (withoutEnrollment > 0) {
    const warning = 'reported no enrollment: is "Multiple devices per user" enabled for the Journey app?';
    round.log('WARNING', `${withoutEnrollment} of ${users} users ${warning}`);
  }
  return { users, sessions: 0, rows, requests };
}

/** Executes Helium's requests. Returns how many were executed. */
export function runUserRequests(round: Round): Promise<number> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, userFieldHints);
  return attemptAll(
    round,
    async () => (await runReEnrollments(round, table, columns)) + (await runCodeRequests(round, table, columns)),
  );
}

async function runReEnrollments(round: Round, table: string, columns: Columns<UserField>): Promise<number> {
  const flag = columns.get('performReEnrollmentFieldName');
  if (flag === undefined) return 0;
  const processed = columns.get('reEnrollmentLastProcessedFieldName');
  return runRequests(round, {
    table,
    flag,
    resultColumns: processed ? [processed] : [],
    name: 'Re-enrollment',
    async execute(id) {
      await round.client.reEnroll(round.enrollment.journeyObjectName, id, { signal: round.signal });
      return toCells(columns, { reEnrollmentLastProcessedFieldName: round.now() });
    },
  });
}

/** Returns null when no column needs the list, and when a deployment has none. */
async function readList(
  { client, signal }: Round,
  columns: Columns<UserField>,
): Promise<ReadonlyMap<string, ListedUser> | null> {
  if (!columns.has('lastConnectedFieldName') && !columns.has('allowedAccessFieldName')) return null;
  try {
    const users = await readJourneyUsers(client, signal);
    return new Map(users.map((user) => [user.id, user]));
  } catch (error) {
    if (error instanceof JourneyProblem && concernsOneRow(error)) return null;
    throw error;
  }
}
