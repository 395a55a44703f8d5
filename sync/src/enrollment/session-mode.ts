/**
 * Multiple devices per user: builds the rows of users, of their sessions and of the sessions'
 * containers.
 */
import type { JourneySession, JourneyUser } from '@portal/platforms/journey/user-wire';
import { type CellRow, type Cells, cutText, parseInstant, toCells } from './cells.ts';
import type { Columns, ContainerField, SessionField, SessionUserField } from './enrollment-columns.ts';
import type { SessionUser } from './read-journey-users.ts';
import { deriveUuid, isUuid } from './row-ids.ts';

/** A session with its user, and the id of its row in Helium. */
export interface UserSession {
  readonly rowId: string;
  readonly userId: string;
  readonly session: JourneySession;
}

/** Without locks (see `lock-requests.ts`) and requests (see `run-requests.ts`). */
const shownFields = ['lastConnectedAtFieldName', 'enrolledFieldName'] as const;
const sessionRequestFields = ['performReAuthenticateFieldName', 'reAuthenticateLastProcessedFieldName'] as const;

export function shownUserFields(columns: Columns<SessionUserField>): Columns<SessionUserField> {
  return new Map([...columns].filter(([field]) => shownFields.some((shown) => shown === field)));
}

export function shownSessionFields(columns: Columns<SessionField>): Columns<SessionField> {
  return new Map([...columns].filter(([field]) => !sessionRequestFields.some((request) => request === field)));
}

export function sessionUserRows(columns: Columns<SessionUserField>, users: readonly JourneyUser[]): CellRow[] {
  return users.map((user) => ({
    id: user.id,
    cells: toCells(columns, {
      lastConnectedAtFieldName: parseInstant(user.last_connected_at),
      ...(user.enrolled !== null && { enrolledFieldName: user.enrolled }),
    }),
  }));
}

/** Returns each session once, even if Journey reports it twice. */
export function listSessions(users: readonly SessionUser[]): UserSession[] {
  const sessions = new Map<string, UserSession>();
  for (const user of users) {
    for (const session of user.sessions) {
      const rowId = isUuid(session.id) ? session.id.toLowerCase() : deriveUuid(`session ${session.id}`);
      sessions.set(rowId, { rowId, userId: user.id, session });
    }
  }
  return [...sessions.values()];
}

/**
 * @param isKnown whether Helium has a row of the user: a reference to a missing row would be
 * rejected
 */
export function sessionRows(
  columns: Columns<SessionField>,
  sessions: readonly UserSession[],
  isKnown: (userId: string) => boolean,
): CellRow[] {
  return sessions.map(({ rowId, userId, session }) => ({
    id: rowId,
    cells: toCells(columns, {
      ...(session.state !== null && { stateFieldName: session.state }),
      lastAuthenticatedAtFieldName: parseInstant(session.last_authenticated_at),
      createdAtFieldName: parseInstant(session.created_at),
      heliumObjectFkFieldName: isKnown(userId) ? userId : null,
      signedOutAtFieldName: parseInstant(session.signed_out_at),
      lastConnectedAtFieldName: parseInstant(session.last_connected_at),
      labelFieldname: cutText(session.label, columns.get('labelFieldname')),
    }),
  }));
}

/** A new session's row has its flag unset, so that apps need not distinguish null from no. */
export function newSessionCells(columns: Columns<SessionField>): Cells {
  return toCells(columns, { performReAuthenticateFieldName: false });
}

/** Returns the id of the container's row. */
export function toContainerId(sessionRowId: string): string {
  return deriveUuid(`container of session ${sessionRowId}`);
}

/** Returns a row for each session that reports its container. */
export function containerRows(columns: Columns<ContainerField>, sessions: readonly UserSession[]): CellRow[] {
  return sessions.flatMap(({ rowId, session: { container } }) => {
    if (container === null) return [];
    const cells = toCells(columns, {
      versionFieldName: cutText(container.version, columns.get('versionFieldName')),
      bundleIdFieldName: cutText(container.bundle_id, columns.get('bundleIdFieldName')),
      platformFieldName: cutText(container.platform, columns.get('platformFieldName')),
      sessionObjectFkFieldName: rowId,
    });
    return { id: toContainerId(rowId), cells };
  });
}
