import { createStore, type Store } from '../../state/store.ts';
import { LogBuffer } from '../stream/log-buffer.ts';
import type { SavedLog } from '../stream/log-cache.ts';
import { type Connection, closedConnection } from '../stream/log-connection.ts';
import { LogSocket } from '../stream/log-socket.ts';
import type { LogStateInput } from '../stream/log-state.ts';
import type { LogWire } from '../stream/log-wire.ts';
import type { LogRow } from '../text/log-chunk.ts';
import { LogView, type ViewSnapshot } from './log-view.ts';

/** The state of the stream and its lines; a new object after every change. */
export interface StreamSnapshot extends ViewSnapshot, LogStateInput {
  /**
   * When the page or the portal retries next (epoch milliseconds); null when no retry is scheduled.
   */
  readonly retryAt: number | null;
  /** Lines known to be missing, and gaps of unknown size. */
  readonly lostLines: number;
  readonly unknownGaps: number;
}

/** The view is updated at this interval; updating per frame would cost several times as much. */
const flushIntervalMs = 100;
/** More waiting rows than this are stored immediately, so that no step takes long. */
const maxWaitingRows = 4000;
const publishIntervalMs = 250;

export interface StreamOptions {
  readonly wire: LogWire;
  readonly parent: HTMLElement;
  /** The log as it was left, or null. */
  readonly saved: SavedLog | null;
  /** Closed permanently by the server, with its code. */
  readonly onClosed: (code: number) => void;
}

/** A log on the page. Collects lines from the socket and passes them to the view at an interval. */
export class LogStream {
  readonly view: LogView;
  readonly snapshot: Store<StreamSnapshot>;
  /** What the last key press did. */
  readonly action = createStore('');
  readonly #socket: LogSocket;
  readonly #buffer: LogBuffer;
  #waiting: LogRow[] = [];
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #publishTimer: ReturnType<typeof setTimeout> | undefined;
  #retryAt: number | null = null;
  #lostLines: number;
  #unknownGaps: number;

  constructor({ wire, parent, saved, onClosed }: StreamOptions) {
    this.#buffer = saved?.buffer ?? new LogBuffer();
    this.#lostLines = saved?.lostLines ?? 0;
    this.#unknownGaps = saved?.unknownGaps ?? 0;
    this.view = new LogView(parent, this.#buffer, wire.startNote ?? null, {
      onCatchUp: () => this.#flush(),
      onChange: () => this.#publish(),
      onProgress: () => this.#publishSoon(),
    });
    this.#socket = new LogSocket(wire, saved?.connection ?? closedConnection, {
      onLines: (lines) => {
        for (const [millis, key, value] of lines) this.#waiting.push({ millis, key, value });
        this.#scheduleFlush();
      },
      onMarker: (marker, value, lines) => {
        this.#waiting.push({ millis: Date.now(), marker, value });
        if (marker === 'gap' && lines === null) this.#unknownGaps += 1;
        this.#lostLines += lines ?? 0;
        this.#scheduleFlush();
      },
      onChange: (connection) => this.#onChange(connection),
      onClosed,
    });
    this.snapshot = createStore(this.#createSnapshot());
    this.view.show();
  }

  play(): void {
    this.view.follow();
    this.#socket.send({ type: 'play' });
  }

  stop(): void {
    this.#socket.send({ type: 'stop' });
  }

  /** Stops the stream and returns the log as it is left. */
  dispose(): SavedLog {
    this.#socket.dispose();
    this.#store();
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#publishTimer);
    this.view.dispose();
    const connection: Connection = {
      ...this.#socket.connection,
      phase: 'closed',
      message: '',
      waitMs: null,
      attempt: 0,
    };
    return { buffer: this.#buffer, connection, lostLines: this.#lostLines, unknownGaps: this.#unknownGaps };
  }

  #onChange(connection: Connection): void {
    this.#retryAt = connection.waitMs === null ? null : Date.now() + connection.waitMs;
    this.#publish();
  }

  #scheduleFlush(): void {
    if (this.#waiting.length >= maxWaitingRows) this.#store();
    this.#flushTimer ??= setTimeout(() => this.#flush(), flushIntervalMs);
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
    this.#publishTimer ??= setTimeout(() => this.#publish(), publishIntervalMs);
  }

  #publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.snapshot.set(this.#createSnapshot());
  }

  #createSnapshot(): StreamSnapshot {
    const { phase, platform, attempt, message } = this.#socket.connection;
    return {
      ...this.view.snapshot(),
      phase,
      platform,
      attempt,
      message,
      retryAt: this.#retryAt,
      lostLines: this.#lostLines,
      unknownGaps: this.#unknownGaps,
    };
  }
}
