import type { FastifyRequest } from 'fastify';

/**
 * Checks whether the caller requests uncached data. Browsers send this header for `fetch(…, {
 * cache: 'reload' })`.
 */
export function wantsFresh(request: FastifyRequest): boolean {
  return request.headers['cache-control'] === 'no-cache';
}
