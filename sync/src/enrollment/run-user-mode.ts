/** Runs a round with a single device per user. */
import { type UserEnrollment, userFieldHints } from '@portal/contract/sync/enrollment';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import { toCells } from './cells.ts';
import { runCodeRequests } from './enrollment-codes.ts';
import { type Columns, requireColumns, type UserField } from './enrollment-columns.ts';
import { type EnrollmentOutcome, type EnrollmentRound, inAppTransaction, reportRefused } from './enrollment-round.ts';
import { readJourneyUsers } from './read-journey-users.ts';
import { readWholeList } from './read-whole-list.ts';
import { saveListedUsers, writeRemovedUsers } from './removed-users.ts';
import { isUuid } from './row-ids.ts';
import { attemptAll, attemptInRound, concernsOneRow, runRequests } from './run-requests.ts';
import { type SignIn, toEnrollmentSignIn, toSignIn } from './sign-ins.ts';
import { type ListedUser, shownFields, type UserEnrollmentObject, userRows } from './user-mode.ts';
import { warnOfUnknownFlag } from './warn-of-unknown.ts';
import { updateChanged } from './write-cells.ts';
import { writeOneByOne } from './write-one-by-one.ts';

type Round = EnrollmentRound<UserEnrollment>;

const chunkSize = 1_000;

export async function runUserMode(round: Round): Promise<Omit<EnrollmentOutcome, 'waiting'>> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, userFieldHints);
  let requests = await attemptInRound(round, () => runUserRequests(round));
  const updated = new Map<string, UserEnrollmentObject>();
  const users = await readUsers(round, async () => {
    if (round.pending.hasNew) requests += await attemptInRound(round, () => runUserRequests(round, updated));
  });
  // Read last, so that a user who was created since then is not shown as one who is not listed.
  const list = await readList(round, columns);
  const shown = shownFields(columns, list !== null);
  // The list may have been read before a request was executed.
  const current = users.map((user) => updated.get(user.id) ?? user);
  const reported = userRows(shown, current, list);
  const locked = new Set<string>();
  const onRefused = reportRefused(round, table);
  const target = { table, columns: [...shown.values()], onRefused, onLocked: (id: string) => locked.add(id) };
  let rows = 0;
  for (let from = 0; from < reported.length; from += chunkSize) {
    const chunk = reported.slice(from, from + chunkSize);
    rows += await inAppTransaction(round, (db) => updateChanged(db, target, chunk));
  }
  const skipped = reported.filter(({ id }) => locked.has(id));
  rows += await writeOneByOne(round, target, skipped);
  rows += await inAppTransaction(round, async (db) => {
    const removed = await saveListedUsers(
      db,
      round,
      table,
      users.map(({ id }) => id),
    );
    return writeRemovedUsers(db, { table, columns, onRefused }, removed, [
      { allowedAccessFieldName: false, enrolledFieldName: false },
      { urlFieldName: null, barcodeFieldName: null, enrollmentCodeFieldName: null },
    ]);
  });
  const withoutEnrollment = users.length - reported.length;
  if (withoutEnrollment > 0) {
    const warning = 'reported no enrollment: is "Multiple devices per user" enabled for the Journey app?';
    round.log('WARNING', `${withoutEnrollment} of ${users.length} users ${warning}`);
  }
  return { users: users.length, sessions: 0, rows, requests };
}

/** Returns the users of a whole list, each with its enrollment only. */
async function readUsers(
  { client, enrollment, signal }: Round,
  onPage: () => Promise<void>,
): Promise<UserEnrollmentObject[]> {
  const name = `list of ${enrollment.journeyObjectName} objects`;
  const readPage = async (page: { readonly limit: number; readonly skip: number }) => {
    // Without an order, an object may be on two pages or on none.
    const options = { ...page, sort: { id: 'asc' }, total: true, signal } as const;
    const { objects, ...list } = await client.list(enrollment.journeyObjectName, options);
    return { ...list, objects: objects.map((user) => ({ id: user.id, enrollment: user.enrollment })) };
  };
  const users = await readWholeList(name, readPage, ({ id }) => id, { onPage });
  return [...users.values()].filter(({ id }) => isUuid(id));
}

interface UserTarget {
  readonly table: string;
  readonly columns: Columns<UserField>;
}

/**
 * Executes Helium's requests. Returns how many were executed.
 *
 * @param updated receives the users as they are after their request
 */
export function runUserRequests(round: Round, updated = new Map<string, UserEnrollmentObject>()): Promise<number> {
  const { enrollment, catalog } = round;
  const target = requireColumns(catalog, enrollment.heliumObjectName, enrollment, userFieldHints);
  const onDone = async (id: string) => {
    const user = await showEnrollment(round, target, id);
    if (user !== null) updated.set(id, user);
  };
  return attemptAll(
    round,
    async () => (await runReEnrollments(round, target, onDone)) + (await runCodeRequests(round, target, onDone)),
  );
}

/**
 * Writes what a request changes besides its own result: the former address no longer works, and
 * would be scanned in vain until the next interval. Returns null if Journey reports no enrollment.
 */
async function showEnrollment(
  round: Round,
  { table, columns }: UserTarget,
  id: string,
): Promise<UserEnrollmentObject | null> {
  const { client, enrollment, signal } = round;
  const user = await client.get(enrollment.journeyObjectName, id, { signal }).catch((error: unknown) => {
    // The request itself is done, and the next round shows the rest.
    if (error instanceof JourneyProblem) return undefined;
    throw error;
  });
  const { data } = JourneyEnrollment.safeParse(user?.enrollment);
  if (data === undefined) return null;
  const facts = { enrolledFieldName: data.enrolled, urlFieldName: data.url, barcodeFieldName: data.url };
  const changed = new Map([...columns].filter(([field]) => field in facts));
  const target = { table, columns: [...changed.values()] };
  await writeOneByOne(round, target, [{ id, cells: toCells(changed, facts) }]);
  return { id, enrollment: data };
}

async function runReEnrollments(
  round: Round,
  { table, columns }: UserTarget,
  onDone: (id: string) => Promise<void>,
): Promise<number> {
  const { client, enrollment, signal } = round;
  const flag = columns.get('performReEnrollmentFieldName');
  if (flag === undefined) return 0;
  const processed = columns.get('reEnrollmentLastProcessedFieldName');
  return runRequests(round, {
    table,
    flag,
    resultColumns: processed ? [processed] : [],
    name: 'Re-enrollment',
    async prepare(id) {
      return {
        before: await readSignIns(round, id),
        call: () => client.reEnroll(enrollment.journeyObjectName, id, { signal }),
        toResult: () => toCells(columns, { reEnrollmentLastProcessedFieldName: round.now() }),
      };
    },
    onDone,
  });
}

/** Returns the user's sessions, or the enrollment if Journey shows none. */
async function readSignIns({ client, enrollment, signal }: Round, id: string): Promise<SignIn[]> {
  try {
    const { sessions } = await client.user(id, { signal });
    if (sessions !== null) return sessions.map(toSignIn);
  } catch (error) {
    if (!(error instanceof JourneyProblem && concernsOneRow(error))) throw error;
  }
  const user = await client.get(enrollment.journeyObjectName, id, { signal });
  return [toEnrollmentSignIn(JourneyEnrollment.safeParse(user.enrollment).data)];
}

/** Returns null when no column needs the list, and when a deployment has none. */
async function readList(round: Round, columns: Columns<UserField>): Promise<ReadonlyMap<string, ListedUser> | null> {
  const { client, signal } = round;
  if (!columns.has('lastConnectedFieldName') && !columns.has('allowedAccessFieldName')) return null;
  try {
    const users = await readJourneyUsers(client, signal);
    if (columns.has('allowedAccessFieldName')) warnOfUnknownFlag(round, 'locked', users);
    return new Map(users.map((user) => [user.id, user]));
  } catch (error) {
    if (error instanceof JourneyProblem && concernsOneRow(error)) return null;
    throw error;
  }
}
