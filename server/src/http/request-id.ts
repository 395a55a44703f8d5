import { randomBytes } from 'node:crypto';

/** Short ids that differ between requests, starts and nodes: they are read out on the telephone. */
export function numberRequests(): () => string {
  const start = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
