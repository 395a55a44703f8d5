/**
 * Makes the tables of sessions and containers contain exactly what Journey reports, in one
 * transaction: readers see the state before or after. The result equals emptying and filling the
 * table, without the drawbacks of TRUNCATE: it would lock out readers, show older snapshots an
 * empty table, fail when another object references a session, log nothing, and lose a flag that is
 * set at the same time. Rows of ended sessions are deleted, new ones are inserted, others are
 * updated where they differ. References, flags and custom attributes stay.
 */
import {
  hasContainers,
  type SessionEnrollment,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
} from '@portal/contract/sync/enrollment';
import type { Db } from '../helium/helium-gateway.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import { type KnownUsers, readAfterwards } from './apply-lock-requests.ts';
import { type CellRow, toCells } from './cells.ts';
import { type Columns, type ContainerField, requireColumns, type SessionField } from './enrollment-columns.ts';
import { type EnrollmentRound, inAppTransaction, reportRefused } from './enrollment-round.ts';
import { readSessionUser, readSessionUsers, type SessionUser } from './read-journey-users.ts';
import { mayRemove } from './removal-brake.ts';
import { runRequests } from './run-requests.ts';
import {
  containerRows,
  listSessions,
  newSessionCells,
  sessionRows,
  shownSessionFields,
  toContainerId,
  type UserSession,
} from './session-mode.ts';
import { toSignIn } from './sign-ins.ts';
import { deleteRows, insertMissing, lockOthers, lockReferenced, updateChanged } from './write-cells.ts';

interface SessionTables {
  readonly session: { readonly table: string; readonly columns: Columns<SessionField> };
  readonly container: { readonly table: string; readonly columns: Columns<ContainerField> } | null;
}

export function sessionTables(enrollment: SessionEnrollment, catalog: HeliumCatalog): SessionTables {
  const { sessionObjectName, sessionObjectFieldNames } = enrollment;
  const { sessionContainerObjectName, sessionContainerObjectFieldNames } = enrollment;
  return {
    session: requireColumns(catalog, sessionObjectName, sessionObjectFieldNames, sessionObjectFieldHints),
    container: hasContainers(enrollment)
      ? requireColumns(
          catalog,
          sessionContainerObjectName,
          sessionContainerObjectFieldNames,
          sessionContainerObjectFieldHints,
        )
      : null,
  };
}

/**
 * Runs requested re-authentications, and stores the users' new state in `known`. Returns how many
 * sessions re-authenticate.
 */
export async function runReAuthentications(
  round: EnrollmentRound,
  { session: { table, columns } }: SessionTables,
  known: KnownUsers,
): Promise<number> {
  const flag = columns.get('performReAuthenticateFieldName');
  if (flag === undefined) return 0;
  const processed = columns.get('reAuthenticateLastProcessedFieldName');
  const findSession = createSessionFinder(round, known);
  const { client, signal } = round;
  return runRequests(round, {
    table,
    flag,
    resultColumns: processed ? [processed] : [],
    userColumn: columns.get('heliumObjectFkFieldName'),
    name: 'Re-authentication',
    async prepare(id, { user, isRepeated }) {
      let seen = await findSession(id, user);
      if (seen !== undefined && isRepeated) {
        const fresh = await readSessionUser(round, seen.userId);
        seen = listSessions([fresh]).find(({ rowId }) => rowId === id);
        if (known.users.has(fresh.id)) known.users.set(fresh.id, fresh);
      }
      // The session has ended, and its row is deleted in the next round.
      if (seen === undefined) return null;
      const { userId, session } = seen;
      return {
        before: [toSignIn(session)],
        async call() {
          await client.reAuthenticate(userId, session.id, { signal });
          const user = known.users.get(userId);
          if (user === undefined) return;
          const sessions = user.sessions.map((one) => (one.id === session.id ? { ...one, state: 'LOCKED' } : one));
          known.users.set(userId, await readAfterwards(round, { ...user, sessions }));
        },
        toResult: () => toCells(columns, { reAuthenticateLastProcessedFieldName: round.now() }),
      };
    },
  });
}

/**
 * Finds the sessions of rows. Reads the list of users only for a row that does not name its user,
 * and only once.
 */
function createSessionFinder(
  round: EnrollmentRound,
  known: KnownUsers,
): (rowId: string, user: string | null) => Promise<UserSession | undefined> {
  const toMap = (users: Iterable<SessionUser>) =>
    new Map(listSessions([...users]).map((session) => [session.rowId, session]));
  let all = known.isComplete ? toMap(known.users.values()) : undefined;
  return async (rowId, user) => {
    if (all === undefined && user !== null) return toMap([await readSessionUser(round, user)]).get(rowId);
    all ??= toMap(await readSessionUsers(round.client, round.signal));
    return all.get(rowId);
  };
}

/** Returns how many rows were deleted, inserted or changed. */
export function replaceSessions(
  round: EnrollmentRound,
  { session, container, userTable }: SessionTables & { readonly userTable: string },
  sessions: readonly UserSession[],
): Promise<number> {
  return inAppTransaction(round, async (db) => {
    const users = await lockReferenced(db, userTable, [...new Set(sessions.map(({ userId }) => userId))]);
    const columns = shownSessionFields(session.columns);
    const onRefused = reportRefused(round, session.table);
    const sessionTarget = { table: session.table, columns: [...columns.values()], onRefused };
    // The sessions of a user whose row is locked stay as they are.
    const present = sessions.filter(({ userId }) => !users.busy.has(userId));
    const newRows = sessionRows(columns, present, (id) => users.locked.has(id));
    const containerTarget = container && {
      table: container.table,
      columns: [...container.columns.values()],
      onRefused: reportRefused(round, container.table),
    };

    // Children are deleted first and inserted last. Those of sessions that stay, stay as well.
    const sessionIds = sessions.map(({ rowId }) => rowId);
    const ended = await findRemovable(db, round, { table: session.table, ids: sessionIds });
    let rows = 0;
    if (container && containerTarget && ended !== null) {
      const ids = getIds(containerRows(container.columns, sessions));
      const ofEnded = new Set(ended.map(toContainerId));
      rows += await deleteRows(
        db,
        containerTarget,
        (await findRemovable(db, round, { table: container.table, ids, ofEnded })) ?? [...ofEnded],
      );
    }
    rows += await deleteRows(db, sessionTarget, ended ?? []);
    const flag = session.columns.get('performReAuthenticateFieldName');
    const withFlag = { ...sessionTarget, columns: flag ? [...columns.values(), flag] : sessionTarget.columns };
    const unset = newSessionCells(session.columns);
    const inserted = newRows.map(({ id, cells }) => ({ id, cells: { ...cells, ...unset } }));
    rows += await insertMissing(db, withFlag, inserted, round.now());
    rows += await updateChanged(db, sessionTarget, newRows);
    if (container && containerTarget) {
      const { locked } = await lockReferenced(db, session.table, getIds(newRows));
      const containers = containerRows(
        container.columns,
        present.filter(({ rowId }) => locked.has(rowId)),
      );
      rows += await insertMissing(db, containerTarget, containers, round.now());
      rows += await updateChanged(db, containerTarget, containers);
    }
    return rows;
  });
}

/**
 * Locks the rows with other ids and returns theirs; null when they are too many to be deleted.
 *
 * @param rows.ofEnded containers of sessions that are deleted: they do not count
 */
async function findRemovable(
  db: Db,
  round: EnrollmentRound,
  rows: { readonly table: string; readonly ids: readonly string[]; readonly ofEnded?: ReadonlySet<string> },
): Promise<readonly string[] | null> {
  const { table, ids, ofEnded = new Set() } = rows;
  const others = await lockOthers(db, table, ids);
  const absent = others.filter((id) => !ofEnded.has(id)).length;
  // Listed sessions count even if their rows are only inserted in this round.
  const removal = { what: `rows of ${table}`, known: ids.length + absent, absent };
  return (await mayRemove(db, round, removal)) ? others : null;
}

function getIds(rows: readonly CellRow[]): string[] {
  return rows.map(({ id }) => id);
}
