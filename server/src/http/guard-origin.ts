import { Refused } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses unsafe calls and sockets that another site's page makes with this user's cookie. Browsers
 * say where a call comes from and pages cannot change it; scripts say nothing, and have no foreign
 * cookie to misuse.
 *
 * `publicUrl` is the portal's configured address; without it the host the call was sent to stands
 * for it.
 */
export function guardOrigin(app: FastifyInstance, publicUrl: string | undefined): void {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  app.addHook('onRequest', (request, _reply, done) => {
    const isSafe = safeMethods.has(request.method) && !request.ws;
    if (isSafe || isSameOrigin(request, publicHost ?? request.host)) done();
    else done(new Refused('This call comes from a page of another site, so it was not carried out.'));
  });
}

function isSameOrigin(request: FastifyRequest, ownHost: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined || site === 'same-origin') return true;
  return origin === `http://${ownHost}` || origin === `https://${ownHost}` || getHost(origin) === ownHost;
}

/** The host as browsers write it in an address, without a port that goes without saying. */
function getHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
