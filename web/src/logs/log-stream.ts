import { createStore, type Store } from '../lib/store.ts';
import type { LogRow } from './log-chunk.ts';
import type { Connection, ConnectionPhase } from './log-connection.ts';
import { LogSocket } from './log-socket.ts';
import { LogView, type ViewSnapshot } from './log-view.ts';
import type { LogWire } from './log-wire.ts';

/**
 * What the page says about the stream and its lines; a new object whenever something of it has
 * changed.
 */
export interface StreamSnapshot extends ViewSnapshot {
  readonly phase: ConnectionPhase;
  readonly message: string;
  /**
   * Epoch milliseconds of the next attempt, of the page or of the portal; null when none is due.
   */
  readonly retryAt: number | null;
  /** Lines known to be missing, and gaps of which nobody knows the size. */
  readonly lostLines: number;
  readonly unknownGaps: number;
}

/**
 * Lines reach the view in one step about this often: per frame it would cost several times the
 * work.
 */
const flushMs = 100;
/** More rows than this do not wait to be stored, so that no step gets long. */
const storeRows = 4000;
const publishMs = 250;

export interface StreamOptions {
  readonly wire: LogWire;
  readonly parent: HTMLElement;
  /** Closed for good by the server, with its code. */
  readonly onClosed: (code: number) => void;
}

/** A log on the page: what the socket brings is gathered and handed to the view on a beat. */
export class LogStream {
  readonly view: LogView;
  readonly snapshot: Store<StreamSnapshot>;
  readonly #socket: LogSocket;
  #waiting: LogRow[] = [];
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #publishTimer: ReturnType<typeof setTimeout> | undefined;
  #retryAt: number | null = null;
  #lostLines = 0;
  #unknownGaps = 0;

  constructor({ wire, parent, onClosed }: StreamOptions) {
    this.view = new LogView(parent, {
      onCatchUp: () => this.#flush(),
      onChange: () => this.#publish(),
      onProgress: () => this.#publishSoon(),
    });
    this.#socket = new LogSocket(wire, {
      onLines: (lines) => {
        for (const [millis, key, value] of lines) this.#waiting.push({ millis, key, value });
        this.#expectFlush();
      },
      onMarker: (marker, value, lines) => {
        this.#waiting.push({ millis: Date.now(), marker, value });
        if (marker === 'gap' && lines === null) this.#unknownGaps += 1;
        this.#lostLines += lines ?? 0;
        this.#expectFlush();
      },
      onChange: (connection) => this.#onChange(connection),
      onClosed,
    });
    this.snapshot = createStore(this.#describe());
  }

  play(): void {
    this.view.follow();
    this.#socket.send({ type: 'play' });
  }

  stop(): void {
    this.#socket.send({ type: 'stop' });
  }

  dispose(): void {
    this.#socket.dispose();
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#publishTimer);
    this.view.dispose();
  }

  #onChange(connection: Connection): void {
    this.#retryAt = connection.waitMs === null ? null : Date.now() + connection.waitMs;
    this.#publish();
  }

  #expectFlush(): void {
    if (this.#waiting.length >= storeRows) this.#store();
    this.#flushTimer ??= setTimeout(() => this.#flush(), flushMs);
  }

  #store(): void {
    this.view.store(this.#waiting);
    this.#waiting = [];
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#store();
    this.view.show();
    this.#publishSoon();
  }

  #publishSoon(): void {
    this.#publishTimer ??= setTimeout(() => this.#publish(), publishMs);
  }

  #publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.snapshot.set(this.#describe());
  }

  #describe(): StreamSnapshot {
    const { phase, message } = this.#socket.connection;
    return {
      ...this.view.snapshot(),
      phase,
      message,
      retryAt: this.#retryAt,
      lostLines: this.#lostLines,
      unknownGaps: this.#unknownGaps,
    };
  }
}
