import type { DatabaseSilence } from '@portal/kit/postgres/database-silence';
import type { Pool } from '@portal/kit/postgres/pool';
import { isContention } from './database-failures.ts';
import { findLockedLogs } from './locked-logs.ts';
import { findSequences, parseDrawn, readDrawn, readHeads, readWalPosition } from './watch-queries.ts';

interface App {
  readonly listeners: Set<(head: string) => void>;
  /** Object id of the sequence; null when the app does not exist. */
  sequence: string | null;
  /** The head that was last reported; null before the first poll. */
  head: bigint | null;
  /** null when it is not visible. */
  drawn: bigint | null;
  drawnAtMs: number;
  polledAtMs: number;
  /** Whether its log could not be read the last time. */
  hasFailed: boolean;
  /** When its sequence was last made visible, or tried to. */
  shownAtMs: number;
}

export interface WatchedAppsParts {
  readonly pool: Pool;
  readonly asApp: (schema: string) => Pool;
  readonly showSequence: (schema: string) => Promise<void>;
  readonly silence?: DatabaseSilence | undefined;
  /** Milliseconds from an arbitrary origin. */
  readonly now: () => number;
}

interface FoundApp {
  readonly schema: string;
  readonly app: App;
  readonly sequence: string;
}

type HeadsOrFailure = { readonly heads: ReadonlyMap<string, bigint> } | { readonly failure: unknown };

const slowPollMs = 1_000;
/** The poll interval is a fifth of the time spent waiting so far. */
const pollDivisor = 5;

/** How many logins are used at once: each may have to connect first. */
const loginsPerPoll = 8;
/** A sequence that was created again is not visible at first. */
const showEveryMs = 60_000;

/** The apps of one database whose change logs are watched, with their last known state. */
export class WatchedApps {
  readonly #pool: Pool;
  readonly #asApp: (schema: string) => Pool;
  readonly #showSequence: (schema: string) => Promise<void>;
  readonly #silence: DatabaseSilence | undefined;
  readonly #now: () => number;
  readonly #apps = new Map<string, App>();
  #position: string | null = null;
  /**
   * When the sequences were found. Reset after any failure, because a sequence may have been
   * dropped.
   */
  #foundAtMs: number | null = null;
  #found: readonly FoundApp[] = [];
  /** The numbers of these apps when they were last read, as one text. */
  #drawn: string | null = null;
  /** Schemas whose logs were locked: they are not read again until they no longer are. */
  #locked: ReadonlySet<string> = new Set();
  /** Whether an app may be due although nothing was written. */
  #mayHaveDue = true;

  constructor({ pool, asApp, showSequence, silence, now }: WatchedAppsParts) {
    this.#pool = pool;
    this.#asApp = asApp;
    this.#showSequence = showSequence;
    this.#silence = silence;
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#apps.size === 0;
  }

  /** Adds a listener. Returns a function that removes it. */
  add(schema: string, listener: (head: string) => void): () => void {
    const app = this.#apps.get(schema) ?? newApp(this.#now());
    this.#apps.set(schema, app);
    app.listeners.add(listener);
    app.head = null;
    this.#foundAtMs = null;
    this.#mayHaveDue = true;
    return () => {
      app.listeners.delete(listener);
      if (app.listeners.size > 0) return;
      this.#apps.delete(schema);
      this.#foundAtMs = null;
    };
  }

  clear(): void {
    this.#apps.clear();
  }

  /** Reports the heads that have changed. Returns whether any change was visible. */
  async poll(): Promise<boolean> {
    try {
      return await this.#poll();
    } catch {
      this.#foundAtMs = null;
      return false;
    }
  }

  async #poll(): Promise<boolean> {
    const read = () => readWalPosition(this.#pool);
    const position = await (this.#silence ? this.#silence.watch(read) : read());
    const isUnmoved = position !== null && position === this.#position;
    if (isUnmoved && !(this.#mayHaveDue && this.#hasDue())) return false;
    const work = this.#pollApps(position);
    return this.#silence ? this.#silence.watchDuring(work, read) : work;
  }

  async #pollApps(position: string | null): Promise<boolean> {
    await this.#findSequences();
    const found = this.#found;
    const drawn = await readDrawn(
      this.#pool,
      found.map(({ sequence }) => sequence),
    );
    // The server also writes for others, so this is the common case.
    if (drawn === this.#drawn && !this.#mayHaveDue) {
      this.#position = position;
      return false;
    }
    let hasMoved = false;
    let failure: unknown;
    const numbers = parseDrawn(drawn);
    for (const [index, { app }] of found.entries()) {
      const number = numbers[index] ?? null;
      if (app.drawn === number) continue;
      Object.assign(app, { drawn: number, drawnAtMs: this.#now() });
      hasMoved = true;
    }
    const now = this.#now();
    const due = found.filter(({ app }) => this.#isDue(app, now));
    this.#showHidden(due, now);
    for (const read of await this.#readHeads(due)) {
      if ('failure' in read) {
        failure ??= read.failure;
        continue;
      }
      for (const [schema, head] of read.heads) {
        const app = this.#apps.get(schema);
        if (!app) continue;
        Object.assign(app, { polledAtMs: this.#now(), hasFailed: false });
        if (head === app.head) continue;
        app.head = head;
        hasMoved = true;
        for (const listener of app.listeners) listener(String(head));
      }
    }
    if (failure !== undefined) throw failure;
    // Set last: after a failure the same position must be polled again.
    this.#position = position;
    this.#drawn = drawn;
    this.#mayHaveDue = [...this.#apps.values()].some(({ head, drawn }) => head === null || drawn !== head);
    return hasMoved;
  }

  /** Reads the logs of each login that has one due. The failure of one is not that of others. */
  async #readHeads(due: readonly FoundApp[]): Promise<readonly HeadsOrFailure[]> {
    const groups = new Map<Pool, FoundApp[]>();
    for (const one of due.toSorted((one, other) => one.app.polledAtMs - other.app.polledAtMs)) {
      const pool = this.#asApp(one.schema);
      groups.set(pool, [...(groups.get(pool) ?? []), one]);
    }
    if (this.#locked.size > 0) this.#locked = await findLockedLogs(this.#pool, [...this.#locked]);
    const some = [...groups].slice(0, loginsPerPoll);
    return Promise.all(
      some.map(async ([pool, apps]) => {
        try {
          return {
            heads: await this.#readHeadsOf(
              pool,
              apps.map(({ schema }) => schema),
            ),
          };
        } catch (failure) {
          for (const { app } of apps) Object.assign(app, { polledAtMs: this.#now(), hasFailed: groups.size > 1 });
          return { failure };
        }
      }),
    );
  }

  /** One statement reads many logs, so a locked one would delay all of them. */
  async #readHeadsOf(pool: Pool, schemas: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const readUnlocked = () =>
      readHeads(
        pool,
        schemas.filter((schema) => !this.#locked.has(schema)),
      );
    try {
      return await readUnlocked();
    } catch (error) {
      if (!isContention(error)) throw error;
      this.#locked = new Set([...this.#locked, ...(await findLockedLogs(this.#pool, schemas))]);
      return await readUnlocked();
    }
  }

  /** Until a sequence is visible, its log is polled. */
  #showHidden(due: readonly FoundApp[], now: number): void {
    for (const { schema, app } of due) {
      if (app.drawn !== null || now - app.shownAtMs < showEveryMs) continue;
      app.shownAtMs = now;
      void this.#showSequence(schema).catch(() => undefined);
    }
  }

  async #findSequences(): Promise<void> {
    const hasUnknownSequence = [...this.#apps.values()].some(({ sequence }) => sequence === null);
    if (this.#foundAtMs !== null && !(hasUnknownSequence && this.#now() - this.#foundAtMs >= slowPollMs)) return;
    const sequences = await findSequences(this.#pool, [...this.#apps.keys()]);
    for (const [schema, app] of this.#apps) app.sequence = sequences.get(schema) ?? null;
    this.#found = [...this.#apps].flatMap(([schema, app]) =>
      app.sequence === null ? [] : [{ schema, app, sequence: app.sequence }],
    );
    this.#drawn = null;
    this.#foundAtMs = this.#now();
  }

  /** This runs many times a second for all apps, so it makes no list of them. */
  #hasDue(): boolean {
    const now = this.#now();
    for (const app of this.#apps.values()) if (this.#isDue(app, now)) return true;
    return false;
  }

  #isDue({ sequence, head, drawn, drawnAtMs, polledAtMs, hasFailed }: App, now: number): boolean {
    if (hasFailed && now - polledAtMs < slowPollMs) return false;
    if (head === null) return sequence !== null || this.#foundAtMs === null || now - this.#foundAtMs >= slowPollMs;
    if (drawn === head) return false;
    return now - polledAtMs >= Math.min((now - drawnAtMs) / pollDivisor, slowPollMs);
  }
}

function newApp(nowMs: number): App {
  return {
    listeners: new Set(),
    sequence: null,
    head: null,
    drawn: null,
    drawnAtMs: nowMs,
    polledAtMs: nowMs,
    hasFailed: false,
    shownAtMs: Number.NEGATIVE_INFINITY,
  };
}
