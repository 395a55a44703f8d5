import { formatUtc } from '@portal/kit/format-utc';

/** A transaction that others wait for. */
export interface LockHolder {
  /** null for a prepared transaction. */
  readonly pid: number | null;
  readonly applicationName: string;
  /** When it started, ISO; null when the role is not allowed to read that. */
  readonly since: string | null;
}

/**
 * Returns 'held 12 s by pid 4711 (psql, since 2026-11-21 21:00:00 UTC)'; `nowMs` in milliseconds
 * since 1970.
 */
export function describeLockHolder({ pid, applicationName, since }: LockHolder, nowMs: number): string {
  const who = pid === null ? 'a prepared transaction' : `pid ${pid}`;
  const name = applicationName || 'no name';
  if (since === null) return `held by ${who} (${name})`;
  const heldSecs = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000));
  return `held ${heldSecs} s by ${who} (${name}, since ${formatUtc(since)})`;
}
