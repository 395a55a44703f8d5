import * as contract from '@portal/contract/session';
import * as choices from '@portal/contract/session-choices';
import { Invalid, NotSignedIn, Problem } from '@portal/kit/problems';
import type { Finder } from '../../access/subjects.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { getOrigin } from '../../session/callers.ts';
import { readSettings, saveSetting } from './settings.store.ts';

/**
 * What the browser deletes at sign-out: copies of pages, also those that "Back" would show. Its
 * storage has drafts, the theme and starred apps, which the user finds again at the next sign-in.
 * Its cookies include the one that recognizes the browser, and those of other sites of the company.
 */
const clearedData = '"cache"';

const ended: contract.Lifetime = { secondsLeft: 0, canExtend: false };

export function sessionRoutes(
  { pool, pools, config, sessions, cookie, permissions, audit }: Dependencies,
  findHost: Finder,
): RoutesOf<typeof contract> & RoutesOf<typeof choices> {
  /** Returns why the user may not reset the statistics of a database server. */
  const findResetRefusal = async (caller: Caller, databaseHost: string): Promise<contract.Refusals> => {
    const action = 'statistics.reset';
    try {
      const request = { caller, action, fields: { databaseHost }, signal: undefined } as const;
      const { value: _, ...about } = await findHost(databaseHost, request);
      const reason = await permissions.findRefusal(caller, action, about);
      return reason === null ? {} : { [action]: reason };
    } catch (error) {
      if (error instanceof Problem) return { [action]: error.message };
      throw error;
    }
  };

  return {
    getSession: route(contract.getSession, async ({ caller }) => ({
      username: caller.username,
      environment: caller.environment,
      product: config.product,
      links: [...config.links],
      refusals: permissions.getRefusals(caller),
      // With HTTP Basic there is no session, so the credentials expire with the request.
      expiresAt: (caller.expiresAt ?? new Date()).toISOString(),
      idleSeconds: Math.round(config.session.idleMins * 60),
      lifetime: (caller.sessionId !== null && (await sessions.findLifetime(caller.sessionId))) || ended,
      isReadOnly: caller.isReadOnly,
      keptEnvironments: caller.sessionId === null ? [] : await sessions.listKept(caller.sessionId),
      // Pages open while all other connections are in use.
      settings: await readSettings(pools.session, caller),
    })),

    saveSetting: route(choices.saveSetting, async ({ caller, input }) => {
      await saveSetting(pool, caller, input);
      return { saved: true };
    }),

    reportUse: route(contract.reportUse, async ({ input, request }) => {
      const token = cookie.read(request);
      return (token !== undefined && (await sessions.reportUse(token, input.secondsAgo))) || ended;
    }),

    makeSessionReadOnly: route(contract.makeSessionReadOnly, async ({ caller, noted }) => {
      const { sessionId, expiresAt } = caller;
      if (sessionId === null || expiresAt === null)
        throw new Invalid('HTTP Basic has no session that could be read-only.');
      noted.resource = { kind: 'session', id: sessionId };
      if (!(await sessions.makeReadOnly(sessionId))) throw new NotSignedIn('Your session has ended.');
      return { expiresAt: expiresAt.toISOString() };
    }),

    getRefusals: route(contract.getRefusals, async ({ caller, input }) => {
      const { byId } = await caller.apps({ forReading: true });
      const refusals: contract.Refusals[] = [];
      // One after the other, because each may call the platform.
      for (const { appIds, team, databaseHost } of input.subjects) {
        const apps = appIds?.map((appId) => byId.get(appId)).filter((app) => app !== undefined);
        refusals.push(
          databaseHost === undefined
            ? await permissions.listRefusals(caller, { apps, team })
            : await findResetRefusal(caller, databaseHost),
        );
      }
      return refusals;
    }),

    switchEnvironment: route(choices.switchEnvironment, async ({ input, request, reply }) => {
      const before = cookie.read(request);
      const session = before === undefined ? undefined : await sessions.find(before, { fresh: true });
      const opened = session && (await sessions.switchTo(session.id, input.to));
      if (!opened) return { switched: false };
      cookie.write(reply, opened.token);
      const { username, environment } = session;
      const actor = {
        username,
        environment: { name: input.to },
        origin: getOrigin(request),
        sessionId: opened.sessionId,
      };
      const description = `Switched from ${environment} to ${input.to}`;
      await audit.write(actor, { action: 'session.switch', description, outcome: 'done' });
      return { switched: true };
    }),

    deleteSession: route(contract.deleteSession, async ({ request, reply }) => {
      const token = cookie.read(request);
      const session = token === undefined ? undefined : await sessions.end(token);
      cookie.clear(reply);
      reply.header('clear-site-data', clearedData);
      if (session) {
        const { id: sessionId, username, environment } = session;
        const actor = { username, environment: { name: environment }, origin: getOrigin(request), sessionId };
        await audit.write(actor, { action: 'session.sign-out', description: 'Signed out', outcome: 'done' });
      }
      return { signedOut: true };
    }),
  };
}
