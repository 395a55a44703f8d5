/**
 * Limits how long the engine waits for locks of the app while it holds some itself: sessions of the
 * app wait for the engine in the meantime. The limits are far below the second after which
 * PostgreSQL looks for deadlocks, so the app is never aborted because of one with the engine.
 */
import pg from 'pg';
import type { Db, HeliumOutcome } from './helium-gateway.ts';

export type Waiting = Extract<HeliumOutcome, { status: 'waiting' }>;

/** While the engine holds locks on rows of the app. */
const appLockMs = 100;

/** While it looks for the rows of a statement that met a lock. */
const searchLockMs = 10;

/** The engine's own tables are locked only for the time of a commit. */
const stateLockMs = 1_000;

/** How long a transaction looks for such rows; all that are left then wait. */
const searchMs = 400;

/** Runs the part of a transaction that locks rows of the app. */
export async function withLimitedWaits<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.query(`set local lock_timeout = ${appLockMs}`);
  const result = await work();
  await db.query(`set local lock_timeout = ${stateLockMs}`);
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

/** Converts an ended lock timeout to an outcome; returns null for any other error. */
export function toWaiting(error: unknown): Waiting | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) return null;
  // PostgreSQL names the row, and the app's trigger that needed it.
  const [where] = (error.where ?? '').split('\n');
  const what = where ? ` (${where})` : '';
  return { status: 'waiting', reason: `Another session has locked a row or key that this write needs${what}.` };
}
