/** Runs a round with multiple devices per user. */
import { type SessionEnrollment, sessionUserFieldHints } from '@portal/contract/sync/enrollment';
import type { Db } from '../helium/helium-gateway.ts';
import { applyLockRequests, type KnownUsers } from './apply-lock-requests.ts';
import { type CellRow, type ColumnType, toCells } from './cells.ts';
import { runCodeRequests } from './enrollment-codes.ts';
import { type Columns, requireColumns, type SessionUserField } from './enrollment-columns.ts';
import { type EnrollmentOutcome, type EnrollmentRound, inAppTransaction, reportRefused } from './enrollment-round.ts';
import { type LockStage, settleLock } from './lock-requests.ts';
import { readSessionUsers, type SessionUser } from './read-journey-users.ts';
import { saveListedUsers, writeRemovedUsers } from './removed-users.ts';
import { replaceSessions, runReAuthentications, sessionTables } from './replace-sessions.ts';
import { attemptAll, attemptInRound } from './run-requests.ts';
import { listSessions, sessionUserRows, shownUserFields } from './session-mode.ts';
import { readUnsettledLocks, saveLockStages } from './user-locks.store.ts';
import { warnOfUnknownFlag, warnOfUnknownStates } from './warn-of-unknown.ts';
import { updateChanged } from './write-cells.ts';
import { writeOneByOne } from './write-one-by-one.ts';

type Round = EnrollmentRound<SessionEnrollment>;

const chunkSize = 1_000;

export async function runSessionMode(round: Round): Promise<Omit<EnrollmentOutcome, 'waiting'>> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, sessionUserFieldHints);
  const tables = sessionTables(enrollment, catalog);
  const flag = columns.get('lockedFieldName');

  let requests = 0;
  const runRequests = async (users: Map<string, SessionUser>, isComplete: boolean) => {
    requests += await attemptInRound(round, () => runSessionRequests(round, { users, isComplete }));
  };
  const interrupt = async (users: Map<string, SessionUser>, isComplete: boolean) => {
    if (round.pending.hasNew) await runRequests(users, isComplete);
  };
  const onPage = (users: Map<string, SessionUser>) => interrupt(users, false);
  const read = await readSessionUsers(round.client, round.signal, { onPage });
  const users = new Map(read.map((user) => [user.id, user]));
  await runRequests(users, true);
  if (columns.has('enrolledFieldName')) warnOfUnknownFlag(round, 'enrolled', read);
  if (flag) warnOfUnknownFlag(round, 'locked', read);
  let rows = 0;
  const target = { table, columns, flag };
  const ids = [...users.keys()];
  for (let from = 0; from < ids.length; from += chunkSize) {
    const chunk = ids.slice(from, from + chunkSize).flatMap((id) => users.get(id) ?? []);
    rows += await writeUsers(round, target, chunk);
    await interrupt(users, true);
  }
  const sessions = listSessions([...users.values()]);
  warnOfUnknownStates(round, sessions);
  rows += await replaceSessions(round, { ...tables, userTable: table }, sessions);
  rows += await removeUsers(round, target, ids);
  return { users: users.size, sessions: sessions.length, rows, requests };
}

/** Executes Helium's requests, locks first. Returns how many were executed. */
export function runSessionRequests(
  round: Round,
  known: KnownUsers = { users: new Map(), isComplete: false },
): Promise<number> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, sessionUserFieldHints);
  const tables = sessionTables(enrollment, catalog);
  const flag = columns.get('lockedFieldName');
  return attemptAll(round, async () => {
    const locks = flag ? await applyLockRequests(round, { table, flag }, known) : 0;
    const reAuthentications = await runReAuthentications(round, tables, known);
    return locks + reAuthentications + (await runCodeRequests(round, { table, columns }));
  });
}

interface UserTarget {
  readonly table: string;
  readonly columns: Columns<SessionUserField>;
  readonly flag: ColumnType | undefined;
}

async function writeUsers(
  round: Round,
  { table, columns, flag }: UserTarget,
  users: readonly SessionUser[],
): Promise<number> {
  const shown = shownUserFields(columns);
  const rows = sessionUserRows(shown, users);
  const locked = new Set<string>();
  const onRefused = reportRefused(round, table);
  const target = { table, columns: [...shown.values()], onRefused, onLocked: (id: string) => locked.add(id) };
  const written = await inAppTransaction(round, async (db) => {
    const journey = new Map(users.flatMap(({ id, locked }) => (locked === null ? [] : [[id, locked] as const])));
    return (await updateChanged(db, target, rows)) + (await settleLocks(db, round, { table, flag }, journey));
  });
  const skipped = rows.filter(({ id }) => locked.has(id));
  return written + (await writeOneByOne(round, target, skipped));
}

/** Shows locks in Helium's flags. The agreed state of a flag that cannot be written stays. */
async function settleLocks(
  db: Db,
  round: Round,
  { table, flag }: Pick<UserTarget, 'table' | 'flag'>,
  journey: ReadonlyMap<string, boolean>,
): Promise<number> {
  if (flag === undefined) return 0;
  const stages = new Map<string, LockStage>();
  const toShow: CellRow[] = [];
  for (const lock of await readUnsettledLocks(db, { table, flag, stateKey: round.stateKey }, journey)) {
    const settled = settleLock(lock, journey.get(lock.id) ?? false);
    if (settled.stage !== lock.stage) stages.set(lock.id, settled.stage);
    if (settled.show !== null)
      toShow.push({ id: lock.id, cells: toCells(new Map([['locked', flag]]), { locked: settled.show }) });
  }
  const report = reportRefused(round, table);
  const onRefused = (id: string, reason: string) => {
    stages.delete(id);
    report(id, reason);
  };
  const rows = await updateChanged(db, { table, columns: [flag], onRefused }, toShow);
  await saveLockStages(db, round.stateKey, stages);
  return rows;
}

/** Users whom Journey no longer lists are locked and have no device. */
function removeUsers(round: Round, { table, columns, flag }: UserTarget, listed: readonly string[]): Promise<number> {
  return inAppTransaction(round, async (db) => {
    const ids = await saveListedUsers(db, round, table, listed);
    const target = { table, columns, onRefused: reportRefused(round, table) };
    const rows = await writeRemovedUsers(db, target, ids, [
      { enrolledFieldName: false },
      { enrollmentCodeFieldName: null },
    ]);
    return rows + (await settleLocks(db, round, { table, flag }, new Map(ids.map((id) => [id, true]))));
  });
}
