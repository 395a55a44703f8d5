import { once } from 'node:events';
import { logCloseCodes, logHeartbeatMs } from '@portal/contract/logs';
import { type SyncBatchFrame, type SyncSocketReply, syncCloseCodes } from '@portal/contract/sync-socket';
import { syncTexts } from '@portal/contract/sync-texts';
import { closeWhenSilent } from '@portal/edge/close-silent-socket';
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

/**
 * Sending pauses above this many unsent bytes: lines that a slow viewer has not received stay in
 * the table.
 */
const maxBufferedBytes = 1024 * 1024;
const linesPerRead = 250;
/** A viewer that answers no ping for this many heartbeats is disconnected. */
const maxSilentHeartbeats = 6;

/**
 * Sends the lines after `after`, or the newest lines, and then each new line until the socket
 * closes.
 */
export async function serveLogSession(session: LogSession): Promise<void> {
  const { tails, id, signal, socket } = session;
  const tail = tails.join(id, socket);
  const viewer = new Viewer(session);
  try {
    while (!signal.aborted) {
      if (tail.status === 'Deleted') return socket.close(logCloseCodes.unknownApp, 'The integration was deleted.');
      if (tail.status === 'Disabled') return rejectDisabled(socket);
      const chunk = await viewer.next(tail);
      if (chunk) await viewer.send(chunk);
      else await once(tail, 'change', { signal });
    }
  } finally {
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

class Viewer {
  readonly #session: LogSession;
  /** Number of the last line sent; undefined until the start position is known. */
  #seq: number | undefined;
  /** Read from the table for this viewer only, and not sent yet. */
  #olderChunks: LineChunk[] = [];

  constructor(session: LogSession) {
    this.#session = session;
    closeWhenSilent(session.socket, logHeartbeatMs, maxSilentHeartbeats, () => this.#sendBeat());
  }

  /** Returns the next lines, or null when there are none. */
  async next({ id, window }: LogTail): Promise<LineChunk | null> {
    if (!window) return null;
    const waiting = this.#olderChunks.shift();
    if (waiting) return waiting;
    this.#seq ??= this.#start(window.before, window.lastSeq);
    const chunk = window.read(this.#seq);
    if (chunk !== 'earlier') return chunk;
    this.#olderChunks = splitLines(await readLines(this.#session.pool, id, this.#seq, linesPerRead));
    return this.#olderChunks.shift() ?? null;
  }

  async send(chunk: LineChunk): Promise<void> {
    const { socket, batch } = this.#session;
    const first = chunk.lines[0]?.seq ?? chunk.lastSeq;
    const missing = first - 1 - (this.#seq ?? first - 1);
    if (missing > 0) this.#sendControl({ type: 'gap', nextSeq: first, lines: missing });
    this.#seq = chunk.lastSeq;
    if (batch) return this.#sendFrame(chunk.batchFrame());
    // Sending the last frame is enough to observe backpressure for all of them.
    const frames = chunk.plainFrames();
    for (const frame of frames.slice(0, -1)) socket.send(frame);
    await this.#sendFrame(frames[frames.length - 1] ?? '');
  }

  /**
   * Returns the line number to start after. A number above the last one belongs to the log of a
   * deleted integration.
   */
  #start(before: number, lastSeq: number): number {
    const { after } = this.#session;
    if (after === undefined) return before;
    if (after <= lastSeq) return Math.max(0, after);
    this.#sendControl({ type: 'gap', nextSeq: before + 1, lines: null });
    return before;
  }

  #sendFrame(frame: string): Promise<void> {
    const { socket, signal } = this.#session;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const isFull = socket.bufferedAmount + frame.length > maxBufferedBytes;
      socket.send(frame, () => isFull && resolve());
      if (!isFull) resolve();
    });
  }

  #sendControl(frame: SyncBatchFrame): void {
    if (this.#session.batch) this.#session.socket.send(JSON.stringify(frame));
  }

  #sendBeat(): void {
    if (this.#session.socket.bufferedAmount <= maxBufferedBytes)
      this.#sendControl({ type: 'beat', seq: this.#seq ?? 0 });
  }
}
