/** Runs a round with multiple devices per user. */
import { type SessionEnrollment, sessionUserFieldHints } from '@portal/contract/sync-enrollment';
import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import { applyLockRequests, type KnownUsers } from './apply-lock-requests.ts';
import { type CellRow, type ColumnType, toCells } from './cells.ts';
import { runCodeRequests } from './enrollment-codes.ts';
import { type Columns, requireColumns, type SessionUserField } from './enrollment-columns.ts';
import { type EnrollmentOutcome, type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { type LockStage, settleLock } from './lock-requests.ts';
import { readJourneyUsers } from './read-journey-users.ts';
import { replaceSessions, runReAuthentications, sessionTables } from './replace-sessions.ts';
import { attemptAll } from './run-requests.ts';
import { listSessions, sessionUserRows, shownUserFields } from './session-mode.ts';
import { readUnsettledLocks, saveLockStages } from './user-locks.store.ts';
import { updateChanged } from './write-cells.ts';

type Round = EnrollmentRound<SessionEnrollment>;

const chunkSize = 1_000;

export async function runSessionMode(round: Round): Promise<EnrollmentOutcome> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, sessionUserFieldHints);
  const tables = sessionTables(enrollment, catalog);
  const flag = columns.get('lockedFieldName');

  let requests = 0;
  const interrupt = async (users: Map<string, JourneyUser>, isComplete: boolean) => {
    if (round.mayInterrupt && round.pending.hasNew) requests += await runSessionRequests(round, { users, isComplete });
  };
  const onPage = (users: Map<string, JourneyUser>) => interrupt(users, false);
  const read = await readJourneyUsers(round.client, round.signal, { onPage });
  const users = new Map(read.map((user) => [user.id, user]));
  requests += await runSessionRequests(round, { users, isComplete: true });
  let rows = 0;
  const ids = [...users.keys()];
  for (let from = 0; from < ids.length; from += chunkSize) {
    const chunk = ids.slice(from, from + chunkSize).flatMap((id) => users.get(id) ?? []);
    rows += await writeUsers(round, { table, columns, flag }, chunk);
    await interrupt(users, true);
  }
  const sessions = listSessions([...users.values()]);
  rows += await replaceSessions(round, { ...tables, userTable: table }, sessions);
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
    return locks + reAuthentications + (await runCodeRequests(round, table, columns));
  });
}

interface UserTarget {
  readonly table: string;
  readonly columns: Columns<SessionUserField>;
  readonly flag: ColumnType | undefined;
}

function writeUsers(
  round: Round,
  { table, columns, flag }: UserTarget,
  users: readonly JourneyUser[],
): Promise<number> {
  const shown = shownUserFields(columns);
  return inAppTransaction(round, async (db) => {
    const rows = await updateChanged(db, { table, columns: [...shown.values()] }, sessionUserRows(shown, users));
    if (flag === undefined) return rows;
    const journey = new Map(users.map(({ id, locked }) => [id, locked]));
    const stages = new Map<string, LockStage>();
    const toShow: CellRow[] = [];
    for (const lock of await readUnsettledLocks(db, { table, flag, stateKey: round.stateKey }, journey)) {
      const settled = settleLock(lock, journey.get(lock.id) ?? false);
      stages.set(lock.id, settled.stage);
      if (settled.show !== null)
        toShow.push({ id: lock.id, cells: toCells(new Map([['locked', flag]]), { locked: settled.show }) });
    }
    await saveLockStages(db, round.stateKey, stages);
    return rows + (await updateChanged(db, { table, columns: [flag] }, toShow));
  });
}
