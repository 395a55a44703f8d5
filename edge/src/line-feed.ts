import type { WebSocket } from 'ws';
import { closeWhenSilent, type SocketActivity } from './close-silent-socket.ts';

export interface LineFeedLimits {
  /** When this many bytes are unsent, lines stay in their source and may be lost there. */
  readonly bufferedBytes: number;
  readonly heartbeatMs: number;
  /** A viewer that is silent for this many heartbeats is disconnected. */
  readonly silentHeartbeats: number;
}

/** What a source has at one number: lines, or the frame that says what is missing there. */
export type FeedPiece<Lines> = { readonly nextSeq: number } & ({ readonly lines: Lines } | { readonly gap: object });

export type OnSent = (error?: Error | null) => void;

/** Holds numbered lines, in memory or in a table. */
export interface LineSource<Lines> {
  /**
   * Returns what is at this number, or null when there is nothing yet. A source that must load it
   * first also returns null. It calls the feed's `wake` when there is something.
   */
  read(seq: number): FeedPiece<Lines> | null;
  /**
   * Sends the lines. `onSent` is called when the operating system has accepted the last of them.
   */
  write(lines: Lines, onSent: OnSent): void;
}

export interface LineFeedOptions<Lines> {
  readonly socket: WebSocket;
  readonly source: LineSource<Lines>;
  /** True for a viewer that understands frames other than lines. */
  readonly batch: boolean;
  readonly limits: LineFeedLimits;
}

/**
 * Sends numbered lines to one viewer. It holds only a position: lines that the socket cannot accept
 * yet stay in their source.
 *
 *     source ── read(seq) ──> LineFeed ── lines, gaps, beats ──> socket
 *        └────── wake() ─────────┘  └─<── accepted, pong ───────────┘
 */
export class LineFeed<Lines> {
  readonly #options: LineFeedOptions<Lines>;
  readonly #activity: SocketActivity;
  /** Number of the next line; null until the start is known. */
  #seq: number | null = null;
  #isFull = false;
  #newest: object | null = null;

  constructor(options: LineFeedOptions<Lines>) {
    this.#options = options;
    const { heartbeatMs, silentHeartbeats } = options.limits;
    this.#activity = closeWhenSilent(options.socket, heartbeatMs, silentHeartbeats, () => this.#sendBeat());
  }

  get hasStarted(): boolean {
    return this.#seq !== null;
  }

  /** Sends everything from this number on. */
  start(seq: number): void {
    this.#seq = seq;
    this.wake();
  }

  /** Sends what the source has, as far as the socket accepts it. */
  wake(): void {
    const { socket, source, limits } = this.#options;
    while (this.#seq !== null && !this.#isFull && socket.readyState === socket.OPEN) {
      const piece = source.read(this.#seq);
      if (piece === null) return;
      this.#seq = piece.nextSeq;
      if ('lines' in piece) source.write(piece.lines, this.#onSent);
      else this.send(piece.gap);
      this.#isFull = socket.bufferedAmount > limits.bufferedBytes;
    }
  }

  /** Sends a frame to batch viewers; the others receive only lines. */
  send(frame: object): void {
    if (this.#options.batch) this.#options.socket.send(JSON.stringify(frame));
  }

  /** Sends a frame that replaces the last one of its kind: while the socket is full, one waits. */
  sendNewest(frame: object): void {
    if (this.#isFull) this.#newest = frame;
    else this.send(frame);
  }

  readonly #onSent: OnSent = (error) => {
    if (error) return;
    this.#activity.markActive();
    if (!this.#isFull || this.#options.socket.bufferedAmount > this.#options.limits.bufferedBytes) return;
    this.#isFull = false;
    if (this.#newest !== null) this.send(this.#newest);
    this.#newest = null;
    this.wake();
  };

  #sendBeat(): void {
    if (!this.#isFull && this.#seq !== null) this.send({ type: 'beat', seq: this.#seq - 1 });
  }
}
