/**
 * The logs that somebody watches: one tail per integration, whatever the number of viewers. One
 * look at all of them tells which have grown, whose integration was disabled, and which is gone.
 */
import type { SyncStatus } from '@portal/contract/sync-integration';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { readLines, readLogHeads } from '../portal-store/log.store.ts';
import type { Notifications } from '../portal-store/notifications.ts';
import { LogWindow } from './log-window.ts';

/** A newcomer gets so many lines at once, and the window keeps as many. */
const windowLines = 5_000;
const linesPerRead = 2_000;
/** Behind the notifications, for what was told while nobody listened. */
const pollIntervalMs = 2_000;

/** What is to be known of a viewer's socket. */
export interface LogSocket {
  /** Bytes that are sent and not yet on their way. */
  readonly bufferedAmount: number;
}

export class LogTail {
  readonly id: string;
  /** Undefined until the first look. */
  window: LogWindow | undefined;
  status: SyncStatus | 'Deleted' = 'Enabled';
  readonly viewers = new Set<LogSocket>();
  readonly #waiting = new Set<() => void>();

  constructor(id: string) {
    this.id = id;
  }

  /** Settles at the next change, or when the signal is aborted. */
  waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

export class LogTails {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #tails = new Map<string, LogTail>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: readonly (() => void)[];
  #polling: Promise<void> | undefined;
  #needsAnotherPoll = false;

  constructor(pool: Pool, notifications: Notifications, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
    const pollIfWatched = (id: string) => this.#tails.has(id) && this.pollSoon();
    this.#stopListening = [notifications.on('log', pollIfWatched), notifications.on('integration', pollIfWatched)];
    this.#timer = setInterval(() => this.pollSoon(), pollIntervalMs).unref();
  }

  get viewers(): readonly LogSocket[] {
    return [...this.#tails.values()].flatMap(({ viewers }) => [...viewers]);
  }

  /** Watches until `leave` is called with both. */
  join(id: string, viewer: LogSocket): LogTail {
    const tail = this.#tails.get(id) ?? new LogTail(id);
    this.#tails.set(id, tail);
    tail.viewers.add(viewer);
    if (!tail.window) this.pollSoon();
    return tail;
  }

  leave(tail: LogTail, viewer: LogSocket): void {
    tail.viewers.delete(viewer);
    if (tail.viewers.size === 0 && this.#tails.get(tail.id) === tail) this.#tails.delete(tail.id);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const stop of this.#stopListening) stop();
    await this.#polling;
  }

  /** At most one look at a time, and one more when something was told during it. */
  pollSoon(): void {
    if (this.#tails.size === 0) return;
    if (this.#polling) {
      this.#needsAnotherPoll = true;
      return;
    }
    this.#polling = this.#poll()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the logs could not be read'))
      .then(() => {
        this.#polling = undefined;
        if (!this.#needsAnotherPoll) return;
        this.#needsAnotherPoll = false;
        this.pollSoon();
      });
  }

  async #poll(): Promise<void> {
    // Who joins during the look is looked at in the next.
    const tails = [...this.#tails.values()];
    const heads = await readLogHeads(
      this.#pool,
      tails.map(({ id }) => id),
    );
    const headById = new Map(heads.map((head) => [head.id, head]));
    for (const tail of tails) {
      const head = headById.get(tail.id);
      const before = tail.window?.lastSeq;
      if (head) await this.#read(tail, head.lastSeq);
      const status = head?.status ?? 'Deleted';
      if (tail.status === status && tail.window?.lastSeq === before) continue;
      tail.status = status;
      tail.wake();
    }
  }

  async #read(tail: LogTail, lastSeq: number): Promise<void> {
    const window = tail.window ?? new LogWindow(Math.max(0, lastSeq - windowLines), windowLines);
    while (window.lastSeq < lastSeq) {
      const lines = await readLines(this.#pool, tail.id, window.lastSeq, linesPerRead);
      if (lines.length === 0) break;
      window.append(lines);
    }
    tail.window = window;
  }
}
