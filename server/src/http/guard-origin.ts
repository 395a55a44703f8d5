import { Refused } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses unsafe requests and sockets that another site's page makes with this user's cookie.
 * Browsers send the origin, and pages cannot change it; scripts send none, and have no foreign
 * cookie to misuse.
 *
 * `publicUrl` is the portal's configured address; without it, the request's host is used.
 */
export function guardOrigin(app: FastifyInstance, publicUrl: string | undefined): void {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  app.addHook('onRequest', (request, _reply, done) => {
    const isSafe = safeMethods.has(request.method) && !request.ws;
    if (isSafe || isSameOrigin(request, publicHost ?? request.host)) done();
    else done(new Refused('This request comes from a page of another site, so it was refused.'));
  });
}

function isSameOrigin(request: FastifyRequest, ownHost: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined || site === 'same-origin') return true;
  return origin === `http://${ownHost}` || origin === `https://${ownHost}` || getHost(origin) === ownHost;
}

/** Returns the host as browsers write it, without a default port. */
function getHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
