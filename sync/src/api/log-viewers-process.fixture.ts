/**
 * Many viewers of one log in a process of their own, so that their memory does not count as the
 * service's.
 */
import { syncBatchFrameSchema, syncSocketReplySchema } from '@portal/contract/sync/socket';
import { WebSocket } from 'ws';

export interface ViewersOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly appId: string;
  readonly viewers: number;
  /** Key of the test's lines, whose values are `line 1`, `line 2`, … */
  readonly key: string;
}

export interface ViewersReport {
  readonly open: number;
  /** Number of viewers by number of lines received. */
  readonly received: Readonly<Record<number, number>>;
  /** Lines out of order, and closed sockets. */
  readonly errors: readonly string[];
}

const viewers: { received: number; seq: number }[] = [];
const errors: string[] = [];
let open = 0;

function openViewer({ url, headers, appId, key }: ViewersOrder, batch: boolean): void {
  const socket = new WebSocket(url, { headers });
  const viewer = { received: 0, seq: 0 };
  viewers.push(viewer);
  const receive = (seq: number, of: string | undefined, value: string) => {
    if (viewer.seq !== 0 && seq !== viewer.seq + 1) errors.push(`${seq} after ${viewer.seq}`);
    viewer.seq = seq;
    if (of !== key) return;
    viewer.received += 1;
    if (value !== `line ${viewer.received}`) errors.push(`${value} instead of line ${viewer.received}`);
  };
  socket.once('open', () => {
    open += 1;
    socket.send(JSON.stringify({ type: 'LOG_SESSION', appId, batch }));
  });
  socket.on('message', (data) => {
    const frame: unknown = JSON.parse(String(data));
    if (!batch) {
      const { seq = 0, key: of, value } = syncSocketReplySchema.parse(frame);
      return receive(seq, of, value);
    }
    const read = syncBatchFrameSchema.parse(frame);
    if (read.type === 'gap') errors.push(`a gap before ${read.nextSeq}`);
    if (read.type === 'lines')
      for (const [at, [, of, value]] of read.lines.entries()) receive(read.seq + at, of, value);
  });
  socket.on('error', ({ message }) => errors.push(message));
  socket.once('close', (code) => errors.push(`closed with ${code}`));
}

process.on('message', (order: ViewersOrder | 'report') => {
  if (order !== 'report') {
    // One in ten uses the plain form.
    for (let index = 0; index < order.viewers; index += 1) openViewer(order, index % 10 !== 0);
    return;
  }
  const received: Record<number, number> = {};
  for (const viewer of viewers) received[viewer.received] = (received[viewer.received] ?? 0) + 1;
  const report: ViewersReport = { open, received, errors: errors.slice(0, 10) };
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
