import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogRecord } from '../ring/log-chunk.ts';
import { LogHandover } from './log-handover.ts';
import type { LogSource } from './log-source.ts';

const record = (place: number): LogRecord => ({ id: `id-${place}`, key: 'INFO', value: `${place}`, millis: place });

/** The new stream, in the test's hand. */
let open: () => void;
let bring: (...places: number[]) => void;
let fail: (problem: Error) => void;
/** What the old stream has brought. */
let had: Set<string>;
let done: { held: string[]; overlaps: boolean } | null;
let failed: unknown;
let later: string[];
let handover: LogHandover;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const queue: LogRecord[][] = [];
  let problem: Error | null = null;
  let wake = () => {};
  async function* stream({ signal, onOpen }: Parameters<LogSource['stream']>[0]) {
    open = onOpen;
    while (!signal.aborted) {
      const batch = queue.shift();
      if (batch !== undefined) yield batch;
      else if (problem !== null) throw problem;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  bring = (...places) => {
    queue.push(places.map(record));
    wake();
  };
  fail = (error) => {
    problem = error;
    wake();
  };
  had = new Set();
  done = null;
  failed = null;
  later = [];
  handover = new LogHandover({
    source: { stream, logged: async () => [] },
    credentials: { key: 'ben', reveal: () => ({ userName: 'ben', password: 'x' }) },
    limits: { overlapMs: 10, mostMs: 50 },
    had: () => had,
    onDone: (_connection, held, overlaps) => {
      done = { held: held.map(({ value }) => value), overlaps };
    },
    onFailed: (error) => {
      failed = error;
    },
    listener: {
      onOpen: () => later.push('open'),
      onRecords: (_connection, records) => later.push(...records.map(({ value }) => value)),
      onEnd: () => later.push('end'),
    },
  });
});
afterEach(() => {
  handover.cancel();
  vi.useRealTimers();
});

/** Lets everything happen that needs no time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

test('takes over at once when the old stream has brought its first line already', async () => {
  open();
  had = new Set(['id-3']);
  bring(3, 4);
  await settle();
  expect(done).toEqual({ held: ['3', '4'], overlaps: true });
  bring(5);
  await settle();
  expect(later).toEqual(['5']);
});

test('waits for the old stream to bring its first line, so that none between is lost', async () => {
  open();
  bring(3, 4);
  await settle();
  handover.onDelivered([record(1), record(2)]);
  bring(5);
  await settle();
  expect(done).toBeNull();
  handover.onDelivered([record(3)]);
  expect(done).toEqual({ held: ['3', '4', '5'], overlaps: true });
});

test('takes over when both are quiet', async () => {
  open();
  await vi.advanceTimersByTimeAsync(9);
  expect(done).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual({ held: [], overlaps: true });
});

test('does not claim to overlap when the old stream has not brought its first line in time', async () => {
  open();
  bring(3);
  await vi.advanceTimersByTimeAsync(10);
  expect(done).toEqual({ held: ['3'], overlaps: false });
});

test('does not let the old stream go on for long when the new one does not open', async () => {
  await vi.advanceTimersByTimeAsync(50);
  expect(done).toEqual({ held: [], overlaps: false });
  open();
  expect(later).toEqual(['open']);
});

test('takes over as it is when the old stream is gone', async () => {
  open();
  bring(3);
  await settle();
  handover.hurry();
  handover.hurry();
  expect(done).toEqual({ held: ['3'], overlaps: false });
  fail(new Error('gone too'));
  await settle();
  expect(later).toEqual(['end']);
});

test('tells when the new stream cannot be had', async () => {
  const problem = new Error('refused');
  fail(problem);
  await settle();
  expect(failed).toBe(problem);
  await vi.advanceTimersByTimeAsync(100);
  expect(done).toBeNull();
});

test('says nothing more once it is cancelled', async () => {
  open();
  handover.cancel();
  bring(3);
  await vi.advanceTimersByTimeAsync(100);
  expect({ done, failed, later }).toEqual({ done: null, failed: null, later: [] });
});
