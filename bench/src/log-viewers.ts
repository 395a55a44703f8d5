import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { readChildArgument, serveParent } from './inside-child.ts';

/** Viewers of one app's log that only count lines. */
interface ViewersOptions {
  readonly url: string;
  /** Headers of the upgrade requests; viewers use them in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  /** First frame, or null for the baseline relay. */
  readonly hello: unknown;
  readonly viewers: number;
}

export interface LineCounts {
  /** Lines per second, summed over all viewers. */
  readonly linesPerSecond: number;
  /** Lines per second that were reported as dropped for slow viewers. */
  readonly droppedPerSecond: number;
}

export type Order =
  | { readonly type: 'open'; readonly order: ViewersOptions }
  | { readonly type: 'count'; readonly warmUpMs: number; readonly measureMs: number }
  | { readonly type: 'close' };

let sockets: WebSocket[] = [];
let lines = 0;
let dropped = 0;

readChildArgument();
serveParent(true, (request) => handleOrder(request as Order));

async function handleOrder(order: Order): Promise<LineCounts | true> {
  if (order.type === 'open') {
    sockets = await Promise.all(Array.from({ length: order.order.viewers }, (_, at) => open(order.order, at)));
    return true;
  }
  if (order.type === 'close') {
    for (const socket of sockets.splice(0)) socket.removeAllListeners('close').terminate();
    return true;
  }
  await pause(order.warmUpMs);
  const from = performance.now();
  lines = 0;
  dropped = 0;
  await pause(order.measureMs);
  const seconds = (performance.now() - from) / 1000;
  return { linesPerSecond: lines / seconds, droppedPerSecond: dropped / seconds };
}

async function open({ url, headers, hello }: ViewersOptions, at: number): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: headers[at % headers.length] ?? {}, perMessageDeflate: false });
  const count = hello !== null && isBatch(hello) ? countByNumbers() : countOne;
  socket.on('message', (data) => count(data as Buffer));
  socket.on('close', (code, reason) => {
    throw new Error(`a viewer was closed with ${code} ${reason}`);
  });
  await once(socket, 'open');
  if (hello !== null) socket.send(JSON.stringify(hello));
  return socket;
}

function isBatch(hello: unknown): boolean {
  return typeof hello === 'object' && hello !== null && 'batch' in hello && hello.batch === true;
}

/** One line per frame. The frame is not parsed, so that counting does not become the bottleneck. */
function countOne(): void {
  lines += 1;
}

/**
 * A frame of lines starts with the number of its first line; the difference between two numbers is
 * the count of the earlier frame.
 */
function countByNumbers(): (frame: Buffer) => void {
  let last: number | null = null;
  return (frame) => {
    const numbered = /^\{"type":"lines","seq":(\d+),/.exec(frame.toString('latin1', 0, 48));
    if (numbered) {
      const seq = Number(numbered[1]);
      lines += last === null ? 0 : seq - last;
      last = seq;
      return;
    }
    const read = JSON.parse(frame.toString());
    if (read.type !== 'gap') return;
    dropped += read.gap.lines ?? 0;
    lines -= read.gap.lines ?? 0;
  };
}
