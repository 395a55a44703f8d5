/**
 * Makes the tables of sessions and containers contain exactly what Journey reports, in one
 * transaction: readers see the state before or after. The result equals emptying and filling the
 * table, without the drawbacks of TRUNCATE: it would lock out readers, show older snapshots an
 * empty table, fail when another object references a session, log nothing, and lose a flag that is
 * set at the same time. Rows of ended sessions are deleted, new ones are inserted, others are
 * updated where they differ. References, flags and custom attributes stay.
 */
import {
  type SessionEnrollment,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
} from '@portal/contract/sync-enrollment';
import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import type { KnownUsers } from './apply-lock-requests.ts';
import { type CellRow, toCells } from './cells.ts';
import { hasContainers } from './check-enrollment.ts';
import { type Columns, type ContainerField, requireColumns, type SessionField } from './enrollment-columns.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { readJourneyUsers } from './read-journey-users.ts';
import { runRequests } from './run-requests.ts';
import {
  containerRows,
  listSessions,
  newSessionCells,
  sessionRows,
  shownSessionFields,
  type UserSession,
} from './session-mode.ts';
import { deleteOthers, insertMissing, lockReferenced, updateChanged } from './write-cells.ts';

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
    async execute(id, user) {
      const seen = await findSession(id, user);
      // The session has ended, and its row is deleted in the next round.
      if (seen === undefined) return null;
      await client.reAuthenticate(seen.userId, seen.session.id, { signal });
      if (known.users.has(seen.userId))
        known.users.set(seen.userId, { ...(await client.user(seen.userId, { signal })), id: seen.userId });
      return toCells(columns, { reAuthenticateLastProcessedFieldName: round.now() });
    },
  });
}

/**
 * Finds the sessions of rows. Reads the list of users only for a row that does not name its user,
 * and only once.
 */
function createSessionFinder(
  { client, signal }: EnrollmentRound,
  known: KnownUsers,
): (rowId: string, user: string | null) => Promise<UserSession | undefined> {
  const toMap = (users: Iterable<JourneyUser>) =>
    new Map(listSessions([...users]).map((session) => [session.rowId, session]));
  let all = known.isComplete ? toMap(known.users.values()) : undefined;
  return async (rowId, user) => {
    if (all === undefined && user !== null)
      return toMap([{ ...(await client.user(user, { signal })), id: user }]).get(rowId);
    all ??= toMap(await readJourneyUsers(client, signal));
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
    const sessionTarget = { table: session.table, columns: [...columns.values()] };
    // The sessions of a user whose row is locked stay as they are.
    const present = sessions.filter(({ userId }) => !users.busy.has(userId));
    const newRows = sessionRows(columns, present, (id) => users.locked.has(id));
    const containerTarget = container && { table: container.table, columns: [...container.columns.values()] };

    let rows = 0;
    // Children are deleted first and inserted last.
    if (container) rows += await deleteOthers(db, container.table, getIds(containerRows(container.columns, sessions)));
    rows += await deleteOthers(
      db,
      session.table,
      sessions.map(({ rowId }) => rowId),
    );
    const flag = session.columns.get('performReAuthenticateFieldName');
    const withFlag = { table: session.table, columns: flag ? [...columns.values(), flag] : sessionTarget.columns };
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

function getIds(rows: readonly CellRow[]): string[] {
  return rows.map(({ id }) => id);
}
