import { Refused } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses unsafe requests and sockets that another site's page makes with this user's cookie.
 * Browsers send the origin, and pages cannot change it; scripts send none, and have no foreign
 * cookie to misuse.
 *
 * `publicUrl` is the portal's configured address; without it, the request's scheme and host are
 * used. The origin is compared as it was sent, letter for letter: browsers write theirs in one way
 * only.
 */
export function guardOrigin(app: FastifyInstance, publicUrl: string | undefined): void {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  app.addHook('onRequest', (request, _reply, done) => {
    const isSafe = safeMethods.has(request.method) && !request.ws;
    const ownOrigin = publicOrigin ?? `${request.protocol}://${request.host}`;
    if (isSafe || isSameOrigin(request, ownOrigin)) done();
    else done(new Refused('This request comes from a page of another site, so it was refused.'));
  });
}

function isSameOrigin({ headers }: FastifyRequest, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || site === 'same-origin' || origin === ownOrigin;
}
