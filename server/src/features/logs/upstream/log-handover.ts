import type { LogRecord } from '../ring/log-chunk.ts';
import { type ConnectionListener, LogConnection } from './log-connection.ts';
import type { LogCredentials, LogSource } from './log-source.ts';

export interface HandoverLimits {
  /** How long both streams run when they show no common line. */
  readonly overlapMs: number;
  /** How long the old stream may go on in all. */
  readonly mostMs: number;
}

export interface HandoverOptions {
  readonly source: LogSource;
  /** Whose stream takes over. */
  readonly credentials: LogCredentials;
  readonly limits: HandoverLimits;
  /** Ids of the lines the old stream has brought. */
  readonly had: () => ReadonlySet<string>;
  /** `overlaps`: with `held` nothing is missed, though lines may come twice. */
  readonly onDone: (connection: LogConnection, held: LogRecord[], overlaps: boolean) => void;
  readonly onFailed: (problem: unknown) => void;
  /** Hears what the new stream brings from then on. */
  readonly listener: ConnectionListener;
}

/**
 * Opens a second stream beside the one that runs, and tells when it can take over without a hole:
 *
 *     old  … a b c d e
 *     new        c d e f …      its first line c has come on the old one too: from here on the new one has everything
 */
export class LogHandover implements ConnectionListener {
  readonly credentials: LogCredentials;
  readonly #options: HandoverOptions;
  readonly #connection: LogConnection;
  readonly #held: LogRecord[] = [];
  readonly #mostTimer: NodeJS.Timeout;
  #overlapTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: HandoverOptions) {
    this.credentials = options.credentials;
    this.#options = options;
    this.#mostTimer = setTimeout(() => this.hurry(), options.limits.mostMs);
    this.#connection = new LogConnection(options.source, options.credentials, this);
  }

  onOpen(connection: LogConnection): void {
    if (this.#isOver) this.#options.listener.onOpen(connection);
    else this.#overlapTimer = setTimeout(() => this.#finish(this.#held.length === 0), this.#options.limits.overlapMs);
  }

  onRecords(connection: LogConnection, records: readonly LogRecord[]): void {
    if (this.#isOver) {
      this.#options.listener.onRecords(connection, records);
      return;
    }
    const isFirst = this.#held.length === 0;
    for (const record of records) this.#held.push(record);
    const first = this.#held[0];
    if (isFirst && first !== undefined && this.#options.had().has(first.id)) this.#finish(true);
  }

  onEnd(connection: LogConnection, problem: unknown): void {
    if (this.#isOver) {
      this.#options.listener.onEnd(connection, problem);
      return;
    }
    this.cancel();
    this.#options.onFailed(problem);
  }

  /** What the old stream has brought just now. */
  onDelivered(records: readonly LogRecord[]): void {
    const first = this.#held[0];
    if (!this.#isOver && first !== undefined && records.some((record) => record.id === first.id)) this.#finish(true);
  }

  /** The old stream is gone, or must go: the new one takes over as it is. */
  hurry(): void {
    if (!this.#isOver) this.#finish(false);
  }

  cancel(): void {
    this.#settle();
    this.#connection.close();
  }

  #finish(overlaps: boolean): void {
    this.#settle();
    this.#options.onDone(this.#connection, this.#held, overlaps);
  }

  #settle(): void {
    this.#isOver = true;
    clearTimeout(this.#mostTimer);
    clearTimeout(this.#overlapTimer);
  }
}
