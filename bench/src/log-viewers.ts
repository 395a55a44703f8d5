import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { childArgument, serveParent } from './inside-child.ts';

/** Viewers of one app's log that only count lines. */
export interface ViewersOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
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
    sockets = await Promise.all(Array.from({ length: order.order.viewers }, () => open(order.order)));
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

async function open({ url, headers, hello }: ViewersOrder): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  socket.on('message', (data) => countIn(data as Buffer));
  socket.on('close', (code, reason) => {
    throw new Error(`a viewer was closed with ${code} ${reason}`);
  });
  await once(socket, 'open');
  if (hello !== null) socket.send(JSON.stringify(hello));
  return socket;
}

function countIn(frame: Buffer): void {
  // Only frames of batch mode begin so; any other is one line, and is not read, lest the counting be what limits.
  if (frame.toString('latin1', 0, 8) !== '{"type":') {
    lines += 1;
    return;
  }
  const read = JSON.parse(frame.toString());
  if (read.type === 'lines') lines += read.lines.length;
  if (read.type === 'gap') dropped += read.gap.lines ?? 0;
}
