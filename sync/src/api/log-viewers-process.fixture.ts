/**
 * Many viewers of one log in a process of their own, so that their memory does not count as the
 * service's.
 */
import { syncBatchFrameSchema, syncSocketReplySchema } from '@portal/contract/sync-socket';
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
  readonly had: Readonly<Record<number, number>>;
  /** Lines out of order, and closed sockets. */
  readonly wrong: readonly string[];
}

const viewers: { had: number; seq: number }[] = [];
const wrong: string[] = [];
let open = 0;

function watch({ url, headers, appId, key }: ViewersOrder, batch: boolean): void {
  const socket = new WebSocket(url, { headers });
  const viewer = { had: 0, seq: 0 };
  viewers.push(viewer);
  const take = (seq: number, of: string | undefined, value: string) => {
    if (viewer.seq !== 0 && seq !== viewer.seq + 1) wrong.push(`${seq} after ${viewer.seq}`);
    viewer.seq = seq;
    if (of !== key) return;
    viewer.had += 1;
    if (value !== `line ${viewer.had}`) wrong.push(`${value} instead of line ${viewer.had}`);
  };
  socket.once('open', () => {
    open += 1;
    socket.send(JSON.stringify({ type: 'LOG_SESSION', appId, batch }));
  });
  socket.on('message', (data) => {
    const frame: unknown = JSON.parse(String(data));
    if (!batch) {
      const { seq = 0, key: of, value } = syncSocketReplySchema.parse(frame);
      return take(seq, of, value);
    }
    const read = syncBatchFrameSchema.parse(frame);
    if (read.type === 'gap') wrong.push(`a gap before ${read.nextSeq}`);
    if (read.type === 'lines') for (const [at, [, of, value]] of read.lines.entries()) take(read.seq + at, of, value);
  });
  socket.on('error', ({ message }) => wrong.push(message));
  socket.once('close', (code) => wrong.push(`closed with ${code}`));
}

process.on('message', (order: ViewersOrder | 'report') => {
  if (order !== 'report') {
    // One in ten uses the plain form.
    for (let index = 0; index < order.viewers; index += 1) watch(order, index % 10 !== 0);
    return;
  }
  const had: Record<number, number> = {};
  for (const viewer of viewers) had[viewer.had] = (had[viewer.had] ?? 0) + 1;
  const report: ViewersReport = { open, had, wrong: wrong.slice(0, 10) };
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
