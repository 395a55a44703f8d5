/** The routes for app users and their sessions. Their paths have no `.json` suffix. */
import type { Api, Call } from './api.ts';
import { readPage } from './list-query.ts';
import {
  createEnrollmentCode,
  getSession,
  getUser,
  listUsers,
  lockUser,
  reAuthenticate,
  unlockUser,
  wipeSession,
} from './sessions.ts';

type ListedUser = Awaited<ReturnType<typeof listUsers>>['objects'][number];

/** Returns a user without what is not in every answer. */
function forget({ enrolled: _enrolled, locked: _locked, sessions, ...user }: ListedUser) {
  return { ...user, sessions: sessions.map(({ state: _state, ...session }) => session) };
}

/** Lists users, or what a fault makes of the list. */
async function listUsersOrFail({ deployment, query, fault }: Call) {
  const page = readPage(query);
  if (fault?.mode === 'repeat-list')
    return { ...(await listUsers(deployment, { ...page, limit: 1, skip: 0 })), more: true };
  const { total, ...list } = await listUsers(deployment, page);
  const first = list.objects.slice(0, 1);
  switch (fault?.mode) {
    case 'empty-list':
      return { total, count: 0, more: false, objects: [] };
    case 'cut-list':
      return { total, count: first.length, more: false, objects: first };
    case 'no-total':
      return list;
    case 'no-sessions':
      return { total, ...list, objects: list.objects.map(({ sessions: _sessions, ...user }) => user) };
    case 'unknown-user':
      return { total, ...list, objects: list.objects.map((user, index) => (index === 0 ? forget(user) : user)) };
    default:
      return { total, ...list };
  }
}

export function registerUserRoutes(api: Api): void {
  const user = (call: Call) => getUser(call.deployment, call.parameter('user'));
  const session = (call: Call) => getSession(call.deployment, call.parameter('user'), call.parameter('session'));

  api.on('GET', 'users', listUsersOrFail);
  api.on('GET', 'users/:user', user);
  api.on('GET', 'users/:user/sessions/:session', session);
  api.on('POST', 'users/:user/authentication-token', async (call) =>
    createEnrollmentCode(call.deployment, (await user(call)).id),
  );
  for (const [act, change] of [
    ['lock', lockUser],
    ['unlock', unlockUser],
  ] as const) {
    api.on('POST', `users/:user/${act}`, async (call) => {
      await change(call.deployment, (await user(call)).id);
      return user(call);
    });
  }
  for (const [act, change] of [
    ['wipe', wipeSession],
    ['re-authenticate', reAuthenticate],
  ] as const) {
    api.on('POST', `users/:user/sessions/:session/${act}`, async (call) => {
      await change(call.deployment, (await session(call)).id);
      return session(call);
    });
  }
}
