import type { HeliumSimulator, SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import type { Fault } from '@portal/simulators/kit/faults';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHeliumClient, type LogRecord } from './client.ts';

let simulator: HeliumSimulator;
let clinic: SimulatedAppHandle;
const credentials = { userName: 'demo', password: 'demo' };

beforeAll(async () => {
  simulator = await startTestSimulator();
  clinic = simulator.app('Clinic Visits');
});
afterAll(() => simulator.stop({ dropDatabases: true }));
afterEach(() => {
  simulator.faults.clear();
  clinic.setLoad(undefined);
});

/** Opens a stream and reads from it. */
async function openStream(
  options: { heartbeatMs?: number; appId?: string; password?: string; timeoutMs?: number } = {},
) {
  const { heartbeatMs = 60_000, timeoutMs = 10_000, appId = clinic.id, password = 'demo' } = options;
  const client = createHeliumClient({ baseUrl: simulator.baseUrl, heartbeatMs, timeoutMs });
  const stop = new AbortController();
  let onOpen: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    onOpen = resolve;
  });
  const stream = client.streamLogs({ appId, credentials: { ...credentials, password }, signal: stop.signal, onOpen });
  const batches = stream[Symbol.asyncIterator]();
  const first = batches.next();
  // The reader below handles the rejection.
  await Promise.race([opened, first]).catch(() => undefined);
  let ahead: Promise<IteratorResult<LogRecord[]>> | undefined = first;
  const next = async () => {
    const turn = ahead ?? batches.next();
    ahead = undefined;
    return turn;
  };
  const take = async (count: number) => {
    const records: LogRecord[] = [];
    while (records.length < count) {
      const { value, done } = await next();
      if (done) break;
      records.push(...value);
    }
    return records;
  };
  return { next, take, stop };
}

describe('log stream', () => {
  it('delivers records complete and in order, including stack traces and all scripts', async () => {
    const { take, stop } = await openStream();
    const values = [
      'hello',
      'line 1\n\tat line 2\nCaused by: x',
      '"quoted" \\ \u0007 é 日本 🌾',
      '',
      'x'.repeat(70_000),
      'é'.repeat(40_000),
    ];
    clinic.log(...values.map((value, index) => ({ key: 'INFO', value, millis: 1_700_000_000_000 + index })));
    const records = await take(values.length);
    expect(records.map(({ value }) => value)).toEqual(values);
    expect(records.map(({ millis }) => millis)).toEqual(values.map((_, index) => 1_700_000_000_000 + index));
    stop.abort();
  });

  it.each<[unknown, Partial<LogRecord>]>([
    ['{"id":"a","key":"INFO","value":null,"millis":1}', { id: 'a', key: 'INFO', value: '(null)', millis: 1 }],
    ['{"id":"a","key":"INFO","millis":1}', { id: 'a', value: '(null)' }],
    ['{"id":"a","key":null,"value":"x","millis":1}', { id: 'a', key: '', value: 'x' }],
    ['{"id":"a","key":7,"value":{"b":[1]},"millis":1}', { id: 'a', key: '7', value: '{"b":[1]}' }],
    [
      '{"value":null}',
      { id: null, key: 'WARNING', value: expect.stringMatching(/not a log record: \{"value":null\}$/) },
    ],
    ['{"id":"a","key":"INFO","value":"x","millis":1e999}', { id: null, value: expect.stringContaining('1e999') }],
    ['{"id":"a","key":"INFO","value":"x","millis":1e300}', { id: null, value: expect.stringContaining('1e300') }],
    ['null', { id: null, value: expect.stringMatching(/: null$/) }],
    ['[]', { id: null, value: expect.stringMatching(/: \[\]$/) }],
    ['not JSON', { id: null, value: expect.stringMatching(/: not JSON$/) }],
    ['', { id: null, value: expect.stringMatching(/: $/) }],
    [Buffer.from([0x7b, 0xff, 0xfe]), { id: null, value: expect.stringContaining('{\ufffd\ufffd') }],
  ])('shows %j as a line, and the stream goes on', async (frame, line) => {
    const { take, stop } = await openStream();
    clinic.sendToLogSockets(Buffer.isBuffer(frame) ? frame : String(frame));
    clinic.log({ key: 'INFO', value: 'the next line' });
    expect(await take(2)).toMatchObject([line, { value: 'the next line' }]);
    stop.abort();
  });

  it('delivers the same records to every viewer', async () => {
    const viewers = await Promise.all([openStream(), openStream(), openStream()]);
    clinic.log({ key: 'WARNING', value: 'to all' });
    const ids = (await Promise.all(viewers.map(({ take }) => take(1)))).map(([record]) => record?.id);
    expect(new Set(ids).size).toBe(1);
    for (const { stop } of viewers) stop.abort();
  });

  it('uses the ids of the rows in the app’s table', async () => {
    const { take, stop } = await openStream();
    clinic.log({ key: 'INFO', value: 'kept' });
    const [record] = await take(1);
    await clinic.logWritten();
    expect(record?.id).toMatch(/^[0-9a-f-]{36}$/);
    stop.abort();
  });

  it('loses nothing at 20,000 lines a second', async () => {
    const { take, stop } = await openStream();
    clinic.setLoad(20_000);
    const records = await take(30_000);
    clinic.setLoad(undefined);
    const numbers = records.map(({ value }) => Number(/record (\d+)/.exec(value)?.[1]));
    expect(numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1)).toBe(true);
    stop.abort();
  });

  it('loses nothing when a slow consumer exceeds the buffer', async () => {
    const { take, stop } = await openStream();
    const value = 'x'.repeat(100_000);
    const lines = Array.from({ length: 300 }, (_, index) => ({ key: String(index), value }));
    clinic.log(...lines);
    await clinic.logWritten();
    const records = await take(lines.length);
    expect(records.map(({ key }) => key)).toEqual(lines.map(({ key }) => key));
    stop.abort();
  });

  it('ends without an error when aborted', async () => {
    const { next, stop } = await openStream();
    stop.abort();
    expect(await next()).toEqual({ value: undefined, done: true });
    await expect.poll(() => clinic.viewers()).toBe(0);
  });

  it('delivers the records received before the connection closed, then throws', async () => {
    const { take } = await openStream();
    clinic.log({ key: 'INFO', value: 'last words' });
    expect(await take(1)).toHaveLength(1);
    simulator.cutSockets();
    await expect(take(1)).rejects.toMatchObject({
      name: 'Unreachable',
      message: expect.stringContaining('(code 1006)'),
    });
  });

  it('detects a dead connection', async () => {
    const { take } = await openStream({ heartbeatMs: 20 });
    simulator.freezeSockets();
    await expect(take(1)).rejects.toMatchObject({ name: 'Unreachable', message: expect.stringContaining('silent') });
  });

  it('rejects a wrong password', async () => {
    const { take } = await openStream({ password: 'wrong' });
    await expect(take(1)).rejects.toMatchObject({ name: 'NotSignedIn' });
  });

  it('returns not found for an unknown app', async () => {
    const { take } = await openStream({ appId: '00000000-0000-4000-8000-000000000000' });
    await expect(take(1)).rejects.toMatchObject({ name: 'NotFound' });
  });

  it.each<[Fault, RegExp]>([
    [{ mode: 'refuse' }, /cannot be reached for the log stream/],
    [{ mode: 'html' }, /responded to the log stream with status 200/],
    [{ mode: 'error500', status: 503 }, /responded to the log stream with status 503/],
    [{ mode: 'half-body' }, /cannot be reached for the log stream/],
    [{ mode: 'hang' }, /cannot be reached for the log stream: it did not respond in time/],
  ])('reports %j with a readable message', async (fault, sentence) => {
    simulator.faults.set({ ...fault, path: 'ws2/logging' });
    const { take } = await openStream({ timeoutMs: fault.mode === 'hang' ? 100 : 10_000 });
    await expect(take(1)).rejects.toMatchObject({ name: 'Unreachable', message: expect.stringMatching(sentence) });
  });
});
