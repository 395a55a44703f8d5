import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Returns a generator of short ids that are unique across requests, restarts and nodes. They are
 * short because users read them out over the phone.
 */
export function numberRequests(): () => string {
  const start = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}

/**
 * Returns the id that a service in front gave the request, so that the same id finds it in both
 * logs, or a new one.
 */
export function takeRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w-]{1,64}$/.test(sent) ? sent : randomBytes(6).toString('hex');
}
