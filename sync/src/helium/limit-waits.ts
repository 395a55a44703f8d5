/**
 * Limits how long the engine waits for locks: sessions of the app may wait for the engine in the
 * meantime. A session that has waited for a second (`deadlock_timeout`) is aborted if there is a
 * deadlock. The limits are below that second, so the engine gives way first, and tries again.
 */
import pg from 'pg';
import type { Db, HeliumOutcome } from './helium-gateway.ts';

export type Waiting = Extract<HeliumOutcome, { status: 'waiting' }>;

/** The limit of each session. Work that keeps locks of the app for some time has a shorter one. */
export const lockTimeoutMs = 500;

/** While the engine holds locks of the app. */
const appLockMs = 100;

/** While it searches for the rows of a statement that met a lock. */
const searchLockMs = 10;

/** How long a transaction searches for such rows; all that are left then wait. */
const searchMs = 400;

/** Runs the part of a transaction that locks rows or tables of the app. */
export async function withLimitedWaits<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.query(`set local lock_timeout = ${appLockMs}`);
  const result = await work();
  await db.query(`set local lock_timeout = ${lockTimeoutMs}`);
  return result;
}

/** Sets the limits of the search for a row that another session has locked. */
export const limitSearchSql = `set local lock_timeout = ${searchLockMs}`;

/** The search for locked rows in one transaction: it ends, so that others do not wait for long. */
export class LockSearch {
  #startedMs: number | null = null;

  start(): void {
    this.#startedMs ??= performance.now();
  }

  get isOver(): boolean {
    return this.#startedMs !== null && performance.now() - this.#startedMs > searchMs;
  }
}

const lockNotAvailable = '55P03';

/** Returns whether a lock of another session lasted longer than the limit. */
export function isLockTimeout(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === lockNotAvailable;
}

/** Converts an ended lock timeout to an outcome; returns null for any other error. */
export function toWaiting(error: unknown): Waiting | null {
  if (!isLockTimeout(error)) return null;
  // PostgreSQL names the row, and the app's trigger that needed it.
  const [where] = (error.where ?? '').split('\n');
  const what = where ? ` (${where})` : '';
  return { status: 'waiting', reason: `Another session has locked a row or key that this write needs${what}.` };
}
