import * as contract from '@portal/contract/session';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';

export function sessionRoutes({ config, sessions, cookie, permissions }: Dependencies): RoutesOf<typeof contract> {
  return {
    getSession: route(contract.getSession, ({ caller }) => ({
      username: caller.username,
      environment: caller.environment,
      product: config.product,
      links: [...config.links],
      refusals: permissions.getRefusals(caller),
      // With HTTP Basic there is no session, so the credentials expire with the request.
      expiresAt: (caller.expiresAt ?? new Date()).toISOString(),
      idleSeconds: Math.round(config.session.idleMins * 60),
    })),

    getRefusals: route(contract.getRefusals, async ({ caller, input }) => {
      const { byId } = await caller.apps({ forReading: true });
      const answers: contract.Refusals[] = [];
      // One after the other, because each may call the platform.
      for (const { appIds, team } of input.subjects) {
        const apps = appIds?.map((appId) => byId.get(appId)).filter((app) => app !== undefined);
        answers.push(await permissions.listRefusals(caller, { apps, team }));
      }
      return answers;
    }),

    deleteSession: route(contract.deleteSession, async ({ request, reply }) => {
      const token = cookie.read(request);
      if (token !== undefined) await sessions.end(token);
      cookie.clear(reply);
      return { signedOut: true };
    }),
  };
}
