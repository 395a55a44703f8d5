import { logCloseCodes, logHeartbeatMs } from '@portal/contract/logs';
import { type SyncBatchFrame, type SyncSocketReply, syncCloseCodes } from '@portal/contract/sync/socket';
import { syncTexts } from '@portal/contract/sync/texts';
import { type FeedPiece, LineFeed, type LineFeedLimits, type LineSource, type OnSent } from '@portal/edge/line-feed';
import type { Pool } from '@portal/kit/postgres/pool';
import type { WebSocket } from 'ws';
import { readLines } from '../portal-store/log.store.ts';
import type { LogTail, LogTails } from './log-tails.ts';
import { type LineChunk, splitLines } from './log-window.ts';

export interface LogSession {
  readonly socket: WebSocket;
  readonly pool: Pool;
  readonly tails: LogTails;
  /** The id of the integration. */
  readonly id: string;
  /** Whether to send frames with many lines, gaps and heartbeats instead of one line per frame. */
  readonly batch: boolean;
  /** `seq` of the last line the viewer received. */
  readonly after: number | undefined;
  /** Aborted when the socket closes. */
  readonly signal: AbortSignal;
}

const feedLimits: LineFeedLimits = { bufferedBytes: 1024 * 1024, heartbeatMs: logHeartbeatMs, silentHeartbeats: 6 };
const linesPerRead = 250;

/**
 * Sends the lines after `after`, or the newest lines, and then each new line until the socket
 * closes.
 */
export async function serveLogSession(session: LogSession): Promise<void> {
  const { tails, id, signal, socket } = session;
  signal.throwIfAborted();
  const tail = tails.join(id, socket);
  let follow: () => void = () => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const viewer = new TailViewer(session, tail, reject);
      follow = () => {
        if (tail.status === 'Deleted') socket.close(logCloseCodes.unknownApp, 'The integration was deleted.');
        else if (tail.status === 'Disabled') rejectDisabled(socket);
        else viewer.wake();
      };
      tail.on('change', follow);
      signal.addEventListener('abort', () => resolve());
      follow();
    });
  } finally {
    tail.off('change', follow);
    tails.leave(tail, socket);
  }
}

/** Sends the refusal as single replies, whichever form was requested. */
export function rejectDisabled(socket: WebSocket): void {
  const line: SyncSocketReply = { value: syncTexts.disabledLine, key: 'WARNING', millis: Date.now() };
  const refusal: SyncSocketReply = { value: syncTexts.disabled, failed: true };
  socket.send(JSON.stringify(line));
  socket.send(JSON.stringify(refusal));
  socket.close(syncCloseCodes.disabled, syncTexts.disabled);
}

/**
 * The TailViewer is the component between the tail of a log and the feed of one socket. Lines that
 * the tail no longer holds are read from the table.
 */
class TailViewer implements LineSource<LineChunk> {
  readonly #session: LogSession;
  readonly #tail: LogTail;
  readonly #onFailed: (error: unknown) => void;
  readonly #feed: LineFeed<LineChunk>;
  /** Read from the table for this viewer only, and not sent yet. */
  #older: LineChunk[] = [];
  #isReading = false;

  constructor(session: LogSession, tail: LogTail, onFailed: (error: unknown) => void) {
    this.#session = session;
    this.#tail = tail;
    this.#onFailed = onFailed;
    const { socket, batch } = session;
    this.#feed = new LineFeed({ socket, batch, limits: feedLimits, source: this });
  }

  wake(): void {
    const { window } = this.#tail;
    if (this.#feed.hasStarted) this.#feed.wake();
    else if (window) this.#feed.start(this.#findStart(window.before, window.lastSeq) + 1);
  }

  read(seq: number): FeedPiece<LineChunk> | null {
    const [older] = this.#older;
    const chunk = older ?? this.#tail.window?.read(seq - 1) ?? null;
    if (chunk === null) return null;
    if (chunk === 'earlier') return this.#readOlder(seq);
    const first = chunk.lines[0]?.seq ?? seq;
    if (first > seq) return { gap: toGap(first, first - seq), nextSeq: first };
    if (older !== undefined) this.#older = this.#older.slice(1);
    return { lines: chunk, nextSeq: chunk.lastSeq + 1 };
  }

  write(chunk: LineChunk, onSent: OnSent): void {
    const { socket, batch } = this.#session;
    const frames = batch ? [chunk.batchFrame()] : chunk.plainFrames();
    for (const [index, frame] of frames.entries()) {
      if (index < frames.length - 1) socket.send(frame);
      else socket.send(frame, onSent);
    }
  }

  /** Reads the lines from the table and wakes the feed when they are there. */
  #readOlder(seq: number): null {
    if (this.#isReading) return null;
    this.#isReading = true;
    readLines(this.#session.pool, this.#session.id, seq - 1, linesPerRead)
      .then((lines) => {
        this.#older = splitLines(lines);
        this.#isReading = false;
        if (lines.length > 0) this.#feed.wake();
      })
      .catch(this.#onFailed);
    return null;
  }

  /**
   * Returns the line number to start after. A number above the last one belongs to the log of a
   * deleted integration.
   */
  #findStart(before: number, lastSeq: number): number {
    const { after } = this.#session;
    if (after === undefined) return before;
    if (after <= lastSeq) return Math.max(0, after);
    this.#feed.send(toGap(before + 1, null));
    return before;
  }
}

function toGap(nextSeq: number, lines: number | null): SyncBatchFrame {
  return { type: 'gap', nextSeq, lines };
}
