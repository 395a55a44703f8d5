import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { defaultLogLimits } from '../log-limits.ts';
import type { ReceivedLine } from '../ring/ring-chunk.ts';
import { LogIntake } from './log-intake.ts';

const record = (index: number): ReceivedLine => ({
  id: `id-${index}`,
  key: 'INFO',
  value: `${index}`,
  millis: 1000 + index,
});
const records = (from: number, until: number) =>
  Array.from({ length: until - from + 1 }, (_, index) => record(from + index));

/** The output: the index of a line, prefixed with `+` if it came from the table, or "gap". */
let out: string[] = [];
let settled: string[] = [];
let table: ReceivedLine[] = [];
let isUnreachable = false;
let reads = 0;
let onLook: (() => void) | null = null;
let intake: LogIntake;

function start(limits: Partial<typeof defaultLogLimits.stream.upstream.intake> = {}): void {
  out = [];
  settled = [];
  table = [];
  isUnreachable = false;
  reads = 0;
  onLook = null;
  intake = new LogIntake({
    source: {
      stream: () => expect.fail('no stream in this test'),
      async readRows({ afterMillis, maxRows }) {
        reads += 1;
        onLook?.();
        if (isUnreachable) throw new Error('away');
        return table.filter(({ millis }) => millis > afterMillis).slice(-maxRows);
      },
    },
    listener: {
      onLines: (lines, filled) => out.push(...lines.map(({ value }) => (filled ? `+${value}` : value))),
      onGap: () => out.push('gap'),
      onCaughtUp: () => undefined,
      onSettled: (found) => settled.push(found),
    },
    limits: {
      ...defaultLogLimits.stream.upstream.intake,
      fill: { lines: 100, settleMs: 3_600_000, pollMs: 0 },
      ...limits,
    },
    history: () => ({ afterMillis: 0, maxRows: 100 }),
  });
}
afterEach(() => intake.stop());

/** Opens the stream and delivers lines before the table responds. */
function catchUpWith(lines: readonly ReceivedLine[]): Promise<string | null> {
  const filling = intake.catchUp();
  intake.push(lines);
  return filling;
}

/** Opens the stream for the first time and delivers lines 1 to 3. */
async function openFirstTime(): Promise<void> {
  table = records(1, 3);
  await catchUpWith(records(1, 3));
  expect(out).toEqual(['1', '2', '3']);
}

test('delivers the last minutes as soon as they are read, and late rows before the lines of the stream', async () => {
  start();
  table = records(1, 3);
  let outAtSecondRead: string[] = [];
  onLook = () => {
    if (reads === 2) outAtSecondRead = [...out];
    if (reads === 5) table = records(1, 7);
  };
  await catchUpWith(records(6, 7));
  expect(outAtSecondRead).toEqual(['1', '2', '3']);
  expect(out).toEqual(['1', '2', '3', '4', '5', '6', '7']);
});

test('marks a gap if the table becomes unreachable after the last minutes were read', async () => {
  start();
  table = records(1, 3);
  onLook = () => {
    isUnreachable = reads === 2;
  };
  await catchUpWith(records(6, 6));
  expect(out).toEqual(['1', '2', '3', 'gap', '6']);
});

test('waits until the lagging table contains a line from the stream', async () => {
  start();
  await openFirstTime();
  table = records(1, 4);
  onLook = () => {
    if (reads === 5) table = records(1, 9);
  };
  expect(await catchUpWith(records(8, 9))).toContain('4 missed lines');
  expect(out.slice(3)).toEqual(['+4', '+5', '+6', '+7', '8', '9']);
});

test('leaves lines that are in both to the stream, which preserves the order', async () => {
  start();
  await openFirstTime();
  table = records(1, 9);
  await catchUpWith(records(6, 7));
  intake.push(records(8, 9));
  expect(out.slice(3)).toEqual(['+4', '+5', '6', '7', '8', '9']);
});

test('holds new lines until the missed lines are delivered', async () => {
  start();
  await openFirstTime();
  const filling = intake.catchUp();
  intake.push(records(6, 6));
  table = records(1, 6);
  intake.push(records(7, 7));
  await filling;
  intake.push(records(8, 8));
  expect(out.slice(3)).toEqual(['+4', '+5', '6', '7', '8']);
});

test('reads a lagging table again and delivers late lines late', async () => {
  start({ fill: { lines: 100, settleMs: 0, pollMs: 0 }, rereadMs: 1 });
  await openFirstTime();
  table = records(1, 4);
  await catchUpWith(records(7, 7));
  expect(out.slice(3)).toEqual(['+4', '7']);
  table = records(1, 8);
  const before = reads;
  while (reads === before) await wait(1);
  await wait(0);
  intake.push(records(8, 8));
  expect(out.slice(5)).toEqual(['+5', '+6', '+8']);
});

test('reports that no lines were missed only once no row can be late', async () => {
  start({ fill: { lines: 100, settleMs: 0, pollMs: 0 }, rereadMs: 1 });
  await openFirstTime();
  expect(await catchUpWith([])).toBe(' No missed lines found so far.');
  expect(settled).toEqual([]);
  table = records(1, 4);
  const whenSettled = async () => {
    while (settled.length === 0) await wait(1);
    return settled;
  };
  expect(await whenSettled()).toEqual([' Recovered 1 missed line.']);
  settled = [];
  expect(await catchUpWith([])).toBe(' No missed lines found so far.');
  expect(await whenSettled()).toEqual([' No lines were missed.']);
  table = records(1, 5);
  expect(await catchUpWith(records(5, 5))).toBe(' No lines were missed.');
});

test('misses no line after something that is not a record, whatever the clock of the portal shows', async () => {
  start();
  await openFirstTime();
  intake.push([{ id: null, key: 'WARNING', value: 'unreadable', millis: 1_000_000 }]);
  table = records(1, 6);
  await catchUpWith(records(6, 6));
  expect(out.slice(3)).toEqual(['unreadable', '+4', '+5', '6']);
});

test('leaves the second read to the next fill if the stream breaks first', async () => {
  start({ fill: { lines: 100, settleMs: 0, pollMs: 0 }, rereadMs: 0, overlapMillis: 0 });
  await openFirstTime();
  table = records(1, 4);
  await catchUpWith(records(7, 7));
  intake.interrupt();
  const before = reads;
  await wait(5);
  expect(reads).toBe(before);
  table = records(1, 9);
  await catchUpWith(records(9, 9));
  expect(out.slice(3)).toEqual(['+4', '7', '+5', '+6', '+8', '9']);
});

test('marks a gap if the table is unreachable or the gap exceeds the limit', async () => {
  start();
  await openFirstTime();
  isUnreachable = true;
  await catchUpWith(records(6, 6));
  expect(out.slice(3)).toEqual(['gap', '6']);
  isUnreachable = false;
  table = records(1, 300);
  await catchUpWith(records(300, 300));
  expect(out.slice(5, 8)).toEqual(['gap', '+201', '+202']);
  expect(out.at(-1)).toBe('300');
});

test('drops held lines when it is stopped, and recovers them later', async () => {
  start();
  await openFirstTime();
  const filling = intake.catchUp();
  intake.push(records(4, 5));
  intake.stop();
  expect(await filling).toBeNull();
  table = records(1, 6);
  await catchUpWith(records(6, 6));
  expect(out.slice(3)).toEqual(['+4', '+5', '6']);
});
