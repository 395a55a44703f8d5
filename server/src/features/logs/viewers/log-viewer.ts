import type { BatchFrame } from '@portal/contract/logs';
import { closeWhenSilent, type SocketActivity } from '@portal/edge/close-silent-socket';
import type { Problem } from '@portal/kit/problems';
import type { WebSocket } from 'ws';
import type { LogMetrics } from '../log-metrics.ts';
import type { LogStream, LogSubscriber } from '../log-stream.ts';
import type { LogChunk } from '../ring/log-chunk.ts';
import type { RingStart } from '../ring/ring-start.ts';
import type { LogCredentials } from '../upstream/log-source.ts';
import type { UpstreamState } from '../upstream/log-upstream.ts';

export interface ViewerLimits {
  /** When this many bytes are unsent, lines stay in the ring and may be lost there. */
  readonly bufferedBytes: number;
  readonly heartbeatMs: number;
  /** A viewer that is silent for this many heartbeats is disconnected. */
  readonly silentHeartbeats: number;
}

export interface ViewerOptions {
  readonly socket: WebSocket;
  /** The connection below the socket, for prepared frames. */
  readonly wire: { write(frames: Buffer, onSent: (error?: Error | null) => void): unknown };
  readonly stream: LogStream;
  readonly credentials: LogCredentials;
  /** True for batch, state and gap frames; false for one line per frame, as specified. */
  readonly batch: boolean;
  readonly limits: ViewerLimits;
  readonly metrics: LogMetrics;
  readonly onRefused: (problem: Problem) => void;
}

/**
 * The LogViewer is the component that sends a ring's lines to one socket. It holds only a position;
 * lines that the socket cannot accept yet wait in the ring.
 */
export class LogViewer implements LogSubscriber {
  readonly credentials: LogCredentials;
  readonly #options: ViewerOptions;
  readonly #activity: SocketActivity;
  /** Sequence number of the next line; null until the start is known. */
  #seq: number | null = null;
  #hasRead = false;
  #isFull = false;
  #pendingState: UpstreamState | null = null;

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.credentials = options.credentials;
    const { heartbeatMs, silentHeartbeats } = options.limits;
    this.#activity = closeWhenSilent(options.socket, heartbeatMs, silentHeartbeats, () => this.#sendBeat());
  }

  /** Sends the start position and the available lines. */
  start(start: RingStart): void {
    const { socket, stream } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    const nextSeq = start.ahead[0]?.seq ?? start.seq;
    // First, so that the page never takes the numbering for a stream that is already open.
    this.notify(stream.state);
    this.#send({ type: 'hello', stream: stream.ring.stream, nextSeq, resumed: start.resumed });
    if (start.gap !== null) this.#send({ type: 'gap', gap: start.gap, nextSeq });
    for (const chunk of start.ahead) this.#sendLines(chunk);
    this.#seq = start.seq;
    this.wake();
  }

  wake(): void {
    const { socket, stream, limits, metrics } = this.#options;
    while (this.#seq !== null && !this.#isFull && socket.readyState === socket.OPEN) {
      const piece = stream.ring.read(this.#seq, this.#hasRead ? 'slow-viewer' : 'ring');
      if (piece === null) return;
      this.#hasRead = true;
      this.#seq = piece.nextSeq;
      if ('chunk' in piece) {
        this.#sendLines(piece.chunk);
      } else {
        metrics.dropped(piece.gap);
        this.#send({ type: 'gap', gap: piece.gap, nextSeq: piece.nextSeq });
      }
      this.#isFull = socket.bufferedAmount > limits.bufferedBytes;
    }
  }

  notify(state: UpstreamState): void {
    if (this.#isFull) this.#pendingState = state;
    else this.#send({ type: 'state', ...state });
  }

  refuse(problem: Problem): void {
    this.#options.onRefused(problem);
  }

  #sendLines(chunk: LogChunk): void {
    const { socket, wire, stream, batch, metrics } = this.#options;
    metrics.sent(chunk.count);
    if (batch) {
      if (chunk.filled > 0) this.#send({ type: 'filled', lines: chunk.filled });
      socket.send(chunk.frame, { binary: false }, this.#onSent);
      return;
    }
    wire.write(stream.plain.get(chunk), this.#onSent);
  }

  /** Sends a frame to batch viewers; plain viewers receive only lines. */
  #send(frame: BatchFrame): void {
    if (this.#options.batch) this.#options.socket.send(JSON.stringify(frame));
  }

  /** Called when the operating system has accepted the last data. */
  readonly #onSent = (error?: Error | null): void => {
    if (error) return;
    this.#activity.markActive();
    if (!this.#isFull || this.#options.socket.bufferedAmount > this.#options.limits.bufferedBytes) return;
    this.#isFull = false;
    if (this.#pendingState !== null) this.#send({ type: 'state', ...this.#pendingState });
    this.#pendingState = null;
    this.wake();
  };

  #sendBeat(): void {
    if (!this.#isFull && this.#seq !== null) this.#send({ type: 'beat', seq: this.#seq - 1 });
  }
}
