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

    deleteSession: route(contract.deleteSession, async ({ request, reply }) => {
      const token = cookie.read(request);
      if (token !== undefined) await sessions.end(token);
      cookie.clear(reply);
      return { signedOut: true };
    }),
  };
}
