import * as contract from '@portal/contract/sessions';
import { NotFound, Refused } from '@portal/kit/problems';
import type { NotedTarget } from '../../access/enforcer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import type { ListedSession } from '../../session/session.store.ts';
import { describeBrowser } from './describe-browser.ts';

/** Serves the list of sessions. Everyone may see and end their own, administrators those of all. */
export function sessionsRoutes({ sessions, permissions }: Dependencies): RoutesOf<typeof contract> {
  const findRefusal = (caller: Caller, username: string) =>
    username === caller.username ? undefined : permissions.getRefusals(caller)['sessions.end'];

  return {
    getSessions: route(contract.getSessions, async ({ caller }) => {
      const listed = await sessions.list(caller.environment.name);
      const seesAll = permissions.getRefusals(caller)['sessions.end'] === undefined;
      const seen = listed.filter(({ username }) => seesAll || username === caller.username);
      return { sessions: seen.map((session) => toSignedInSession(session, caller)) };
    }),

    endSession: route(contract.endSession, async ({ caller, input, noted }) => {
      noted.resource = { kind: 'session', id: input.id };
      const session = (await sessions.list(caller.environment.name)).find(({ id }) => id === input.id);
      // The same whether it does not exist or belongs to another user.
      if (!session || findRefusal(caller, session.username) !== undefined)
        throw new NotFound('This session has already ended.');
      noted.description = describeEnd(caller, session);
      if (await sessions.endById(session.id)) return { ended: 1 };
      noted.changesNothing = true;
      return { ended: 0 };
    }),

    endSessionsOfUser: route(contract.endSessionsOfUser, async ({ caller, input, noted }) => {
      const { user: username = caller.username } = input;
      const refusal = findRefusal(caller, username);
      if (refusal !== undefined) throw new Refused(refusal);
      const ended: NotedTarget[] = [];
      noted.each = ended;
      for (const session of await sessions.list(caller.environment.name)) {
        if (session.username !== username || session.id === caller.sessionId) continue;
        if (await sessions.endById(session.id))
          ended.push({ resource: { kind: 'session', id: session.id }, description: describeEnd(caller, session) });
      }
      return { ended: ended.length };
    }),
  };
}

function describeEnd(caller: Caller, { username }: ListedSession): string {
  return username === caller.username ? 'Own session ended' : `Session of ${username} ended`;
}

function toSignedInSession(
  { id, username, createdAt, lastSeenAt, address, userAgent, lastAddress, lastUserAgent, isReadOnly }: ListedSession,
  caller: Caller,
): contract.SignedInSession {
  const describe = (agent: string | null) => (agent === null ? null : describeBrowser(agent));
  return {
    id,
    username,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    address,
    browser: describe(userAgent),
    lastAddress: lastAddress ?? address,
    lastBrowser: describe(lastAddress === null ? userAgent : lastUserAgent),
    isReadOnly,
    isCurrent: id === caller.sessionId,
  };
}
