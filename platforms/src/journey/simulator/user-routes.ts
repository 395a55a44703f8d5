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

export function registerUserRoutes(api: Api): void {
  const user = (call: Call) => getUser(call.deployment, call.parameter('user'));
  const session = (call: Call) => getSession(call.deployment, call.parameter('user'), call.parameter('session'));

  api.on('GET', 'users', ({ deployment, query }) => listUsers(deployment, readPage(query)));
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
