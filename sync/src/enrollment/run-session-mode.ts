/** Runs a round with multiple devices per user. */
import { type SessionEnrollment, sessionUserFieldHints } from '@portal/contract/sync-enrollment';
import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import { readUnsettledLocks, saveAgreedLocks } from './agreed-locks.store.ts';
import { applyLockRequests } from './apply-lock-requests.ts';
import { type CellRow, type ColumnType, toCells } from './cells.ts';
import { runCodeRequests } from './enrollment-codes.ts';
import { type Columns, requireColumns, type SessionUserField } from './enrollment-columns.ts';
import { type EnrollmentOutcome, type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { settleLock } from './lock-requests.ts';
import { readJourneyUsers } from './read-journey-users.ts';
import { replaceSessions, runReAuthentications, sessionTables } from './replace-sessions.ts';
import { listSessions, sessionUserRows, shownUserFields } from './session-mode.ts';
import { updateChanged } from './write-cells.ts';

type Round = EnrollmentRound<SessionEnrollment>;

const chunkSize = 1_000;

export async function runSessionMode(round: Round): Promise<EnrollmentOutcome> {
  const { enrollment, catalog } = round;
  const { table, columns } = requireColumns(catalog, enrollment.heliumObjectName, enrollment, sessionUserFieldHints);
  const tables = sessionTables(enrollment, catalog);
  const flag = columns.get('lockedFieldName');

  const users = new Map((await readJourneyUsers(round.client, round.signal)).map((user) => [user.id, user]));
  let requests = 0;
  if (round.heliumToJourneyEnabled) {
    requests += await runCodeRequests(round, table, columns);
    requests += await runReAuthentications(round, tables, users);
    if (flag) requests += await applyLockRequests(round, { table, flag }, users);
  }
  const allUsers = [...users.values()];
  let rows = 0;
  for (let from = 0; from < allUsers.length; from += chunkSize) {
    rows += await writeUsers(round, { table, columns, flag }, allUsers.slice(from, from + chunkSize));
  }
  const sessions = listSessions(allUsers);
  rows += await replaceSessions(round, { ...tables, userTable: table }, sessions);
  return { users: users.size, sessions: sessions.length, rows, requests };
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
    const agreed = new Map<string, boolean>();
    const toShow: CellRow[] = [];
    for (const lock of await readUnsettledLocks(db, { table, flag, stateKey: round.stateKey }, journey)) {
      const settled = settleLock(lock, journey.get(lock.id) ?? false);
      agreed.set(lock.id, settled.agreed);
      if (settled.show !== null)
        toShow.push({ id: lock.id, cells: toCells(new Map([['locked', flag]]), { locked: settled.show }) });
    }
    await saveAgreedLocks(db, round.stateKey, agreed);
    return rows + (await updateChanged(db, { table, columns: [flag] }, toShow));
  });
}
