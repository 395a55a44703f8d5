/**
 * A thousand viewers watch the log of one integration over real sockets, and some of them stop
 * reading.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { syncBatchFrameSchema } from '@portal/contract/sync/socket';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { appendLines, maxStoredLines } from '../portal-store/log.store.ts';
import {
  configFor,
  createSyncDatabase,
  grain,
  startTestService,
  type TestService,
  type TestSocket,
  until,
} from '../service.fixture.ts';
import type { ViewersOrder, ViewersReport } from './log-viewers-process.fixture.ts';

vi.setConfig({ testTimeout: 240_000 });

const program = fileURLToPath(new URL('./log-viewers-process.fixture.ts', import.meta.url));
const logKey = 'TEST';

let database: TestDatabase;
let service: TestService;
let child: ChildProcess | undefined;

beforeEach(async () => {
  database = await createSyncDatabase();
  service = await startTestService(database.url);
  await service.merge(configFor(grain));
  await until(() => service.engine.running(grain.id).length === 1);
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await service.stop();
  await database.drop();
});

const runHere = () => {
  const [running] = service.engine.running(grain.id);
  if (!running) throw new Error('It does not run.');
  return running.run;
};

const openSocket = (more: object = {}) =>
  service.socket({ type: 'LOG_SESSION', appId: grain.id, batch: true, ...more });

async function figure(name: string): Promise<number> {
  const reply = await fetch(`${service.service.address}/metrics`, { headers: service.headers() });
  const [, value] = (await reply.text()).match(new RegExp(`^${name} (\\d+)$`, 'm')) ?? [];
  return Number(value);
}

test('sends every line in order to a thousand viewers while the integration keeps running under the same lease', async () => {
  const [viewers, lines] = [1_000, 1_500];
  child = fork(program, [], { execArgv: ['--import', import.meta.resolve('tsx')] });
  const process = child;
  await once(process, 'message');
  const report = async (): Promise<ViewersReport> => {
    const reply = once(process, 'message');
    process.send('report');
    const [sent] = await reply;
    return sent;
  };
  const url = `${service.service.address.replace('http', 'ws')}/ws`;
  const order: ViewersOrder = { url, headers: service.headers(), appId: grain.id, viewers, key: logKey };
  process.send(order);
  await vi.waitUntil(async () => (await figure('sync_log_viewers')) === viewers, { timeout: 100_000, interval: 100 });
  expect(await report()).toMatchObject({ open: viewers, errors: [] });

  const run = runHere();
  let [sent, steps, isOver] = [0, 0, false];
  const working = (async () => {
    while (!isOver) {
      await run.withSlot(async () => {
        steps += 1;
        for (let more = 0; more < 10 && sent < lines; more += 1) {
          sent += 1;
          run.log(logKey, `line ${sent}`);
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await vi.waitUntil(async () => (await report()).received[lines] === viewers, { timeout: 100_000, interval: 100 });
  isOver = true;
  await working;
  expect(await report()).toEqual({ open: viewers, received: { [lines]: viewers }, errors: [] });
  expect(steps).toBeGreaterThanOrEqual(lines / 10);
  expect(runHere().fence).toBe(run.fence);
  expect((await fetch(`${service.service.address}/health`)).status).toBe(200);
});

test('bounds the memory of viewers that stop reading, and reports their missed lines when they read again', async () => {
  const { rows } = await service.parts.pool.query<{ id: string }>('select id from sync.integration');
  const id = rows[0]?.id ?? '';
  let written = 0;
  const write = async (lines: number, value: string) => {
    await appendLines(
      service.parts.pool,
      Array.from({ length: lines }, () => ({ id, atMs: Date.now(), key: logKey, value })),
    );
    written += lines;
  };
  const slow = Array.from({ length: 5 }, () => openSocket());
  await until(() => slow.every(({ frames }) => frames.length > 0));
  for (const { socket } of slow) socket.pause();
  // Until the network buffers are full, whatever their size.
  while ((await figure('sync_log_buffered_bytes')) < slow.length * 1024 * 1024) await write(500, 'x'.repeat(9_000));
  // More lines than are stored: none of them waits in memory.
  for (let more = 0; more < maxStoredLines + 5_000; more += 5_000) await write(5_000, 'short');
  expect(await figure('sync_log_buffered_bytes')).toBeLessThan(slow.length * 2 * 1024 * 1024);

  for (const { socket } of slow) socket.resume();
  for (const viewer of slow) {
    const [received, missing] = await readUntilCaughtUp(viewer, () => written);
    expect(missing).toBeGreaterThan(0);
    expect(received + missing).toBe(written);
  }
});

/**
 * Returns the number of test lines received and reported missing, once the last one has arrived. A
 * viewer that does not respond for half a minute is disconnected and resumes after its last line.
 */
async function readUntilCaughtUp(
  viewer: TestSocket,
  written: () => number,
): Promise<readonly [received: number, missing: number]> {
  let current = viewer;
  let earlier: readonly unknown[] = [];
  let counts = countLines([]);
  await until(() => {
    const frames = [...earlier, ...current.frames];
    counts = countLines(frames);
    if (counts.received + counts.missing >= written()) return true;
    if (current.socket.readyState !== current.socket.CLOSED) return false;
    earlier = frames;
    current = openSocket({ after: counts.next - 1 });
    return false;
  });
  return [counts.received, counts.missing];
}

function countLines(frames: readonly unknown[]) {
  let [received, missing, next] = [0, 0, 0];
  for (const frame of frames.map((one) => syncBatchFrameSchema.parse(one))) {
    if (frame.type === 'gap') {
      missing += frame.lines ?? 0;
      next = frame.nextSeq;
    }
    if (frame.type !== 'lines') continue;
    if (next !== 0) expect(frame.seq).toBe(next);
    next = frame.seq + frame.lines.length;
    received += frame.lines.filter(([, key]) => key === logKey).length;
  }
  return { received, missing, next };
}
