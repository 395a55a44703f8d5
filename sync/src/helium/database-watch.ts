/**
 * Tells who is to read when an app's change log has grown; one for each database, however many apps
 * it has.
 *
 *   write-ahead log moved? ─no─▶ nothing can have changed: wait longer
 *        │ yes
 *   numbers drawn (one statement, one page read for each app)
 *        │ of those that have more drawn than seen
 *   their logs' heads (one statement) ─ grown? ─▶ tell
 *
 * A number is drawn before its commit, so it is in the sequence before it is in the log: the app is
 * looked at until the log has it, the less often the longer that takes, because numbers that were
 * rolled back never come.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import { findSequences, readDrawn, readHeads, readWalPosition } from './watch-queries.ts';

export interface DatabaseWatchOptions {
  readonly pool: Pool;
  /** While something moves, 20 when left out. */
  readonly beatMs?: number;
  /**
   * So long after something moved it is looked as often: one change rarely comes alone. 0 when left
   * out.
   */
  readonly lingerMs?: number;
  /** Reached by doubling while nothing does, 500 when left out. */
  readonly idleMs?: number;
  /**
   * Reached in the same way once nothing has moved for half a minute; as `idleMs` when left out.
   */
  readonly restMs?: number;
  readonly clock?: WatchClock;
}

export interface WatchClock {
  /** Milliseconds, from wherever. */
  now(): number;
  /** Runs it once, so many milliseconds from now; answers how to call it off. */
  after(ms: number, run: () => void): () => void;
}

export interface DatabaseWatch {
  /**
   * Calls the listener with the head of the schema's change log, as decimal text, as soon as it is
   * known and whenever it has changed: grown, or gone back with a database that was restored. It
   * must not throw. Answers how to stop.
   */
  watch(schema: string, listener: (head: string) => void): () => void;
  /** No listener is called any more once it returns. */
  close(): void;
}

interface App {
  readonly listeners: Set<(head: string) => void>;
  /** Object id of the sequence; null where there is no such app. */
  sequence: string | null;
  /** Told last; null before the first look. */
  head: bigint | null;
  /** null where it cannot be seen. */
  drawn: bigint | null;
  drawnAtMs: number;
  lookedAtMs: number;
}

const seldomMs = 1_000;
const restedAfterMs = 30_000;
/** A look every fifth of the time it has been waited for. */
const patience = 5;
/**
 * After a look that took long, so many times as long is waited, up to the idle beat: the server is
 * busy enough.
 */
const rest = 4;

const systemClock: WatchClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export function createDatabaseWatch(options: DatabaseWatchOptions): DatabaseWatch {
  const { pool, beatMs = 20, lingerMs = 0, idleMs = 500, clock = systemClock } = options;
  const { restMs = idleMs } = options;
  const apps = new Map<string, App>();
  let position: string | null = null;
  /**
   * When the sequences were found; anew after any failure, which may have been the end of one of
   * them.
   */
  let foundAtMs: number | null = null;
  let waitMs = beatMs;
  let movedAtMs = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  let callOff: () => void = () => undefined;

  function isDue({ sequence, head, drawn, drawnAtMs, lookedAtMs }: App): boolean {
    if (head === null) return sequence !== null || foundAtMs === null || clock.now() - foundAtMs >= seldomMs;
    if (drawn === head) return false;
    const now = clock.now();
    return now - lookedAtMs >= Math.min((now - drawnAtMs) / patience, seldomMs);
  }

  async function findApps(): Promise<void> {
    const all = [...apps.values()];
    const isLacking = all.some(({ sequence }) => sequence === null);
    if (foundAtMs !== null && !(isLacking && clock.now() - foundAtMs >= seldomMs)) return;
    const sequences = await findSequences(pool, [...apps.keys()]);
    for (const [schema, app] of apps) app.sequence = sequences.get(schema) ?? null;
    foundAtMs = clock.now();
  }

  /** Whether anything moved. */
  async function look(): Promise<boolean> {
    const now = await readWalPosition(pool);
    const stoodStill = now !== null && now === position;
    if (stoodStill && ![...apps.values()].some(isDue)) return false;

    await findApps();
    const found = [...apps].flatMap(([schema, app]) =>
      app.sequence === null ? [] : [{ schema, app, sequence: app.sequence }],
    );
    const drawn = await readDrawn(
      pool,
      found.map(({ sequence }) => sequence),
    );
    let moved = false;
    for (const [no, { app }] of found.entries()) {
      const number = drawn[no] ?? null;
      if (app.drawn === number) continue;
      Object.assign(app, { drawn: number, drawnAtMs: clock.now() });
      moved = true;
    }
    const due = found.filter(({ app }) => isDue(app)).map(({ schema }) => schema);
    for (const [schema, head] of await readHeads(pool, due)) {
      const app = apps.get(schema);
      if (!app) continue;
      app.lookedAtMs = clock.now();
      if (head === app.head) continue;
      app.head = head;
      moved = true;
      for (const listener of app.listeners) listener(String(head));
    }
    // Only now: had one of these failed, the same would have to be looked at again.
    position = now;
    return moved;
  }

  async function lookAndGoOn(): Promise<void> {
    isLooking = true;
    const began = clock.now();
    const moved = await look().catch(() => {
      foundAtMs = null;
      return false;
    });
    isLooking = false;
    const now = clock.now();
    if (moved) movedAtMs = now;
    const quietMs = now - movedAtMs;
    const mostMs = quietMs < restedAfterMs ? idleMs : restMs;
    waitMs = moved || quietMs < lingerMs ? beatMs : Math.min(waitMs * 2, mostMs);
    schedule(Math.max(waitMs, Math.min((now - began) * rest, idleMs)));
  }

  function schedule(ms: number): void {
    callOff();
    callOff = apps.size === 0 ? () => undefined : clock.after(ms, () => void lookAndGoOn());
  }

  return {
    watch(schema, listener) {
      const app = apps.get(schema) ?? newApp(clock.now());
      apps.set(schema, app);
      app.listeners.add(listener);
      app.head = null;
      foundAtMs = null;
      waitMs = beatMs;
      if (!isLooking) schedule(beatMs);
      return () => {
        app.listeners.delete(listener);
        if (app.listeners.size === 0) apps.delete(schema);
      };
    },
    close() {
      apps.clear();
      callOff();
    },
  };
}

function newApp(nowMs: number): App {
  return { listeners: new Set(), sequence: null, head: null, drawn: null, drawnAtMs: nowMs, lookedAtMs: nowMs };
}
