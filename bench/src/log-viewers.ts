import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { childArgument, serveParent } from './inside-child.ts';

/** Viewers of one app's log that only count lines. */
interface ViewersOrder {
  readonly url: string;
  /** Of the upgrade; viewers take them in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  /** First frame, or null for the bare relay. */
  readonly hello: unknown;
  readonly viewers: number;
}

export interface Counted {
  /** Lines that reached viewers, all together, per second. */
  readonly linesPerSecond: number;
  /** Lines that were announced as dropped for slow viewers, per second. */
  readonly droppedPerSecond: number;
}

export type Order =
  | { readonly act: 'open'; readonly order: ViewersOrder }
  | { readonly act: 'count'; readonly warmUpMs: number; readonly measureMs: number }
  | { readonly act: 'close' };

let sockets: WebSocket[] = [];
let lines = 0;
let dropped = 0;

childArgument();
serveParent(true, (request) => obey(request as Order));

async function obey(order: Order): Promise<Counted | true> {
  if (order.act === 'open') {
    sockets = await Promise.all(Array.from({ length: order.order.viewers }, (_, at) => open(order.order, at)));
    return true;
  }
  if (order.act === 'close') {
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

async function open({ url, headers, hello }: ViewersOrder, at: number): Promise<WebSocket> {
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

/** One frame, one line. It is not read, lest the counting be what limits. */
function countOne(): void {
  lines += 1;
}

/**
 * A frame of lines begins with the number of its first; between two such numbers lie the lines of
 * the earlier one.
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
