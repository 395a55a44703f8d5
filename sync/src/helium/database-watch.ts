/**
 * Notifies listeners when an app's change log has grown. There is one watch per database, however
 * many apps it has.
 *
 *   write-ahead log moved? ─no─▶ nothing can have changed: wait longer
 *        │ yes
 *   numbers drawn (one statement, one page read for each app)
 *        │ of those that have more drawn than seen
 *   their logs' heads (one statement per login) ─ grown? ─▶ notify
 *
 * A number is drawn before its commit, so it is in the sequence before it is in the log. The app is
 * polled until the log has the number. The longer that takes, the longer the interval, because
 * numbers that were rolled back never appear.
 */

import type { DatabaseSilence } from '@portal/kit/postgres/database-silence';
import type { Pool } from '@portal/kit/postgres/pool';
import { nextWait, type WatchPace } from './watch-pace.ts';
import { WatchedApps } from './watched-apps.ts';

export interface DatabaseWatchOptions extends WatchPace {
  /** Reads the write-ahead log's position and the sequences. */
  readonly pool: Pool;
  /** Connects with the rights of the app that owns the schema. Default: the pool for all. */
  readonly asApp?: (schema: string) => Pool;
  /** Makes the numbers of a schema's sequence visible to the pool. It may fail. */
  readonly showSequence?: (schema: string) => Promise<void>;
  /** Watches whether the pool's database answers. */
  readonly silence?: DatabaseSilence;
  readonly clock?: WatchClock;
}

export interface WatchClock {
  /** Milliseconds from an arbitrary origin. */
  now(): number;
  /** Runs the callback once after this many milliseconds. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

export interface DatabaseWatch {
  /**
   * Calls the listener with the head of the schema's change log, as decimal text: once when it is
   * known, then whenever it changes. It grows, or goes back when the database is restored. The
   * listener must not throw. Returns a function that stops the watch.
   */
  watch(schema: string, listener: (head: string) => void): () => void;
  /** Stops the watch. No listener is called after it returns. */
  close(): void;
}

const systemClock: WatchClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export function createDatabaseWatch({
  pool,
  asApp = () => pool,
  showSequence = () => Promise.resolve(),
  silence,
  clock = systemClock,
  ...pace
}: DatabaseWatchOptions): DatabaseWatch {
  const apps = new WatchedApps({ pool, asApp, showSequence, silence, now: clock.now });
  let waitMs = pace.activeMs;
  let movedAtMs = Number.NEGATIVE_INFINITY;
  let isPolling = false;
  let cancelTimer: () => void = () => undefined;

  async function pollAndReschedule(): Promise<void> {
    isPolling = true;
    const startedAtMs = clock.now();
    const hasMoved = await apps.poll();
    isPolling = false;
    const now = clock.now();
    if (hasMoved) movedAtMs = now;
    const next = nextWait({ waitMs, hasMoved, idleForMs: now - movedAtMs, durationMs: now - startedAtMs }, pace);
    waitMs = next.waitMs;
    schedule(Math.max(waitMs, next.pauseMs));
  }

  function schedule(ms: number): void {
    cancelTimer();
    cancelTimer = apps.isEmpty ? () => undefined : clock.after(ms, () => void pollAndReschedule());
  }

  return {
    watch(schema, listener) {
      const stop = apps.add(schema, listener);
      waitMs = pace.activeMs;
      if (!isPolling) schedule(waitMs);
      return stop;
    },
    close() {
      apps.clear();
      cancelTimer();
    },
  };
}
