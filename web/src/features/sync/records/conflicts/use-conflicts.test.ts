import { expect, test } from 'vitest';
import { describeRefused, reviewAll } from './use-conflicts.ts';

test('says what was done, and how many conflicts were left for each reason', () => {
  expect(describeRefused([], ['Helium no longer has the record.'])).toBe('Helium no longer has the record.');
  expect(describeRefused(['7 conflicts reviewed.'], ['It is locked.', 'It has changed.', 'It is locked.'])).toBe(
    '7 conflicts reviewed. 2 conflicts left: It is locked. 1 conflict left: It has changed.',
  );
});

type Result = Awaited<ReturnType<Parameters<typeof reviewAll>[0]>>;

const pages: readonly [Result, Result, Result] = [
  { reviewed: 200, refused: [], next: '7' },
  { reviewed: 199, refused: [{ no: '9', reason: 'It is locked.' }], next: '3' },
  { reviewed: 1, refused: [], next: null },
];

test('reviews page after page, and counts what is done', async () => {
  const counts: number[] = [];
  const after: (string | null)[] = [];
  const call = async (from: string | null) => pages[after.push(from) - 1] ?? pages[2];
  const options = { signal: new AbortController().signal, onReviewed: (count: number) => counts.push(count) };
  const result = await reviewAll(call, options);
  expect(result).toEqual({ reviewed: 400, reasons: ['It is locked.'], isStopped: false });
  expect(after).toEqual([null, '7', '3']);
  expect(counts).toEqual([200, 399, 400]);
});

test('makes no further call once it is stopped, and counts the call under way', async () => {
  const controller = new AbortController();
  let calls = 0;
  const call = async () => {
    calls += 1;
    controller.abort();
    return pages[0];
  };
  const result = await reviewAll(call, { signal: controller.signal, onReviewed: () => undefined });
  expect(result).toEqual({ reviewed: 200, reasons: [], isStopped: true });
  expect(calls).toBe(1);
});
