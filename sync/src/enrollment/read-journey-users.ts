/** Reads Journey's list of users, each user once. */
import { Unreachable } from '@portal/kit/problems';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneySession, JourneyUser } from '@portal/platforms/journey/user-wire';
import type { EnrollmentClient } from './enrollment-round.ts';
import { type ReadOptions, readWholeList } from './read-whole-list.ts';
import { isUuid } from './row-ids.ts';

/** A user whose devices are known. */
export type SessionUser = JourneyUser & { readonly sessions: readonly JourneySession[] };

type ListClient = Pick<EnrollmentClient, 'users'>;

/** Returns all users with a UUID. Throws Unreachable when the list is not whole. */
export async function readJourneyUsers(
  client: ListClient,
  signal: AbortSignal,
  options?: ReadOptions<JourneyUser>,
): Promise<JourneyUser[]> {
  const readPage = (page: { readonly limit: number; readonly skip: number }) => client.users({ ...page, signal });
  return withUuid(await readWholeList('list of users', readPage, ({ id }) => id, options));
}

/** The same, but every user must be listed with its sessions. */
export async function readSessionUsers(
  client: ListClient,
  signal: AbortSignal,
  options?: ReadOptions<SessionUser>,
): Promise<SessionUser[]> {
  const readPage = async (page: { readonly limit: number; readonly skip: number }) => {
    const { objects, ...list } = await client.users({ ...page, signal });
    return { ...list, objects: objects.map(requireListedSessions) };
  };
  const identify = ({ id, sessions }: SessionUser) => [id, sessions.map((session) => session.id)];
  return withUuid(await readWholeList('list of users', readPage, identify, options));
}

/** Helium has rows only for users with a UUID. */
function withUuid<User extends JourneyUser>(users: ReadonlyMap<string, User>): User[] {
  return [...users.values()].filter(({ id }) => isUuid(id));
}

function requireListedSessions(user: JourneyUser): SessionUser {
  if (hasSessions(user)) return user;
  throw new Unreachable(
    `Journey lists user ${user.id} without its sessions. Nothing was changed; the list is read again soon.`,
  );
}

/** Reads one user with its sessions. Throws JourneyProblem when it is reported without them. */
export async function readSessionUser(
  { client, signal }: { readonly client: Pick<EnrollmentClient, 'user'>; readonly signal: AbortSignal },
  id: string,
): Promise<SessionUser> {
  const user = { ...(await client.user(id, { signal })), id };
  if (hasSessions(user)) return user;
  throw new JourneyProblem(`Journey reports user ${id} without its sessions.`, { kind: 'unexpected-response' });
}

function hasSessions(user: JourneyUser): user is SessionUser {
  return user.sessions !== null;
}
