import type { HorizonHolder } from './helium-gateway.ts';

/**
 * Returns 'held 12 s by pid 4711 (psql, since 2026-11-21T21:00:00.000Z)'; `nowMs` in milliseconds
 * since 1970.
 */
export function describeLockHolder({ pid, applicationName, since }: HorizonHolder, nowMs: number): string {
  const heldSecs = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000));
  const who = pid === null ? 'a prepared transaction' : `pid ${pid}`;
  return `held ${heldSecs} s by ${who} (${applicationName || 'no name'}, since ${since})`;
}
