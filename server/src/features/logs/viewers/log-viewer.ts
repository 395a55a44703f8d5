import type { BatchFrame } from '@portal/contract/logs';
import { type FeedPiece, LineFeed, type LineFeedLimits, type LineSource, type OnSent } from '@portal/edge/line-feed';
import type { Problem } from '@portal/kit/problems';
import type { WebSocket } from 'ws';
import type { AppLog, LogSubscriber } from '../app-log.ts';
import type { LogMetrics } from '../log-metrics.ts';
import type { RingChunk } from '../ring/ring-chunk.ts';
import type { RingStart } from '../ring/ring-start.ts';
import type { LogCredentials } from '../upstream/log-source.ts';
import type { UpstreamState } from '../upstream/log-upstream.ts';

export interface ViewerOptions {
  readonly socket: WebSocket;
  /** The connection below the socket, for prepared frames. */
  readonly wire: { write(frames: Buffer, onSent: OnSent): unknown };
  readonly stream: AppLog;
  readonly credentials: LogCredentials;
  /** True for batch, state and gap frames; false for one line per frame, as specified. */
  readonly batch: boolean;
  readonly limits: LineFeedLimits;
  readonly metrics: LogMetrics;
  readonly onRefused: (problem: Problem) => void;
}

/** Connects a log's ring to the feed of one socket. */
export class LogViewer implements LogSubscriber, LineSource<RingChunk> {
  readonly credentials: LogCredentials;
  readonly #options: ViewerOptions;
  readonly #feed: LineFeed<RingChunk>;
  /** Missing lines of the past, which are sent before those of the ring. */
  #ahead: readonly RingChunk[] = [];
  #hasReadRing = false;

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.credentials = options.credentials;
    const { socket, batch, limits } = options;
    this.#feed = new LineFeed({ socket, batch, limits, source: this });
  }

  /** Sends the start position and the available lines. */
  start({ seq, ahead, gap, resumed }: RingStart): void {
    const { socket, stream } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    const nextSeq = ahead[0]?.seq ?? seq;
    // First, so that the page never takes the numbering for a stream that is already open.
    this.notify(stream.state);
    this.#send({ type: 'hello', stream: stream.ring.stream, nextSeq, resumed });
    if (gap !== null) this.#send({ type: 'gap', gap, nextSeq });
    this.#ahead = ahead;
    this.#feed.start(nextSeq);
  }

  wake(): void {
    this.#feed.wake();
  }

  notify(state: UpstreamState): void {
    const frame: BatchFrame = { type: 'state', ...state };
    this.#feed.sendNewest(frame);
  }

  refuse(problem: Problem): void {
    this.#options.onRefused(problem);
  }

  read(seq: number): FeedPiece<RingChunk> | null {
    const { stream, metrics } = this.#options;
    const [ahead] = this.#ahead;
    if (ahead !== undefined) {
      this.#ahead = this.#ahead.slice(1);
      return { lines: ahead, nextSeq: ahead.seq + ahead.count };
    }
    const piece = stream.ring.read(seq, this.#hasReadRing ? 'slow-viewer' : 'ring');
    if (piece === null) return null;
    this.#hasReadRing = true;
    const { nextSeq } = piece;
    if ('chunk' in piece) return { lines: piece.chunk, nextSeq };
    metrics.dropped(piece.gap);
    const gap: BatchFrame = { type: 'gap', gap: piece.gap, nextSeq };
    return { gap, nextSeq };
  }

  write(chunk: RingChunk, onSent: OnSent): void {
    const { socket, wire, stream, batch, metrics } = this.#options;
    metrics.sent(chunk.count);
    if (!batch) return void wire.write(stream.plain.get(chunk), onSent);
    if (chunk.filled > 0) this.#send({ type: 'filled', lines: chunk.filled });
    socket.send(chunk.frame, { binary: false }, onSent);
  }

  #send(frame: BatchFrame): void {
    this.#feed.send(frame);
  }
}
