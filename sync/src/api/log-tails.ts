/**
 * Follows the logs that have viewers: one tail per integration, whatever the number of viewers. One
 * poll covers all of them and finds which logs have grown and which integrations were disabled or
 * deleted.
 */
import { EventEmitter } from 'node:events';
import type { SyncStatus } from '@portal/contract/sync/integration';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { readLines, readLogHeads } from '../portal-store/log.store.ts';
import type { Notifications } from '../portal-store/notifications.ts';
import { LogWindow } from './log-window.ts';

/** Lines sent to a new viewer, and lines cached per integration. */
const windowLines = 5_000;
const linesPerRead = 2_000;
/** Fallback for notifications missed while the connection was down. */
const pollIntervalMs = 2_000;

/** The part of a viewer's socket that tails need. */
export interface LogSocket {
  /** Bytes queued and not sent yet. */
  readonly bufferedAmount: number;
}

/** Emits `change` when it has more lines or another status. */
export class LogTail extends EventEmitter<{ change: [] }> {
  readonly id: string;
  /** Undefined until the first poll. */
  window: LogWindow | undefined;
  status: SyncStatus | 'Deleted' = 'Enabled';
  readonly viewers = new Set<LogSocket>();

  constructor(id: string) {
    super();
    // One per viewer.
    this.setMaxListeners(0);
    this.id = id;
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
    notifications.onMissed(() => this.pollSoon());
    this.#timer = setInterval(() => this.pollSoon(), pollIntervalMs).unref();
  }

  get viewers(): readonly LogSocket[] {
    return [...this.#tails.values()].flatMap(({ viewers }) => [...viewers]);
  }

  /** Adds a viewer. Call `leave` with the returned tail to remove it. */
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

  /** Runs at most one poll at a time, and one more if a change was reported during it. */
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
    // A viewer that joins during this poll is covered by the next one.
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
      tail.emit('change');
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
