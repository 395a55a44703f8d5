import type { FastifyRequest } from 'fastify';

/**
 * Whether the caller asks for what is true now: answers that are kept for some seconds are then
 * loaded anew. Browsers send this header for `fetch(…, { cache: 'reload' })`.
 */
export function wantsFresh(request: FastifyRequest): boolean {
  return request.headers['cache-control'] === 'no-cache';
}
