import { randomBytes } from 'node:crypto';

/**
 * Returns a generator of short ids that are unique across requests, restarts and nodes. They are
 * short because users read them out over the phone.
 */
export function numberRequests(): () => string {
  const start = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
