import { Busy, Refused } from '@portal/kit/problems';
import { beforeEach, expect, test } from 'vitest';
import { FairBatches, type Verdicts } from './fair-batches.ts';

interface Judging {
  readonly items: readonly string[];
  readonly decide: (verdicts: Verdicts) => void;
  readonly fail: (error: Error) => void;
}

/** Every item has as many bytes as characters. */
let judged: Judging[];
let batches: FairBatches<string>;

beforeEach(() => {
  judged = [];
  batches = new FairBatches({
    spacingMs: 0,
    getBytes: ({ length }) => length,
    batchBytes: 6,
    waitingBytes: 20,
    waitingBytesPerSender: 12,
    judge: (items) =>
      new Promise((resolve, reject) => {
        judged.push({ items, decide: resolve, fail: reject });
      }),
  });
});

const items = () => judged.map((each) => each.items);
/** Accepts everything in the batch that is being judged. */
function acceptAll(): void {
  const { items: accepted = [], decide } = judged.at(-1) ?? {};
  decide?.(accepted.map(() => null));
}

test('judges the first item at once, and those that arrive in that time in one batch', async () => {
  const first = batches.run('a', 'a1');
  const others = [batches.run('a', 'a2'), batches.run('b', 'b1')];
  expect(items()).toEqual([['a1']]);
  acceptAll();
  await first;
  await expect.poll(items).toEqual([['a1'], ['a2', 'b1']]);
  acceptAll();
  await Promise.all(others);
});

test('gives each item its own verdict', async () => {
  const refusal = new Refused('No.');
  const first = batches.run('a', 'a1');
  acceptAll();
  await first;
  const outcomes = Promise.allSettled([batches.run('a', 'a2'), batches.run('a', 'a3'), batches.run('a', 'a4')]);
  await expect.poll(items).toEqual([['a1'], ['a2', 'a3', 'a4']]);
  judged[1]?.decide([null, refusal, null]);
  expect((await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : null))).toEqual([
    null,
    refusal,
    null,
  ]);
});

test('accepts no item without a verdict', async () => {
  const first = batches.run('a', 'a1');
  judged[0]?.decide([]);
  await expect(first).rejects.toThrow('no verdict');
});

test('lets senders take turns, however many items one of them has waiting', async () => {
  const all = [batches.run('a', 'a1'), batches.run('a', 'a2'), batches.run('a', 'a3')];
  all.push(batches.run('a', 'a4'), batches.run('b', 'b1'), batches.run('c', 'c1'), batches.run('b', 'b2'));
  for (const count of [1, 2, 3]) {
    await expect.poll(items).toHaveLength(count);
    acceptAll();
  }
  await Promise.all(all);
  expect(items()).toEqual([['a1'], ['a2', 'b1', 'c1'], ['a3', 'b2', 'a4']]);
});

test('judges an item on its own that is larger than a batch', async () => {
  const all = [batches.run('a', 'a1'), batches.run('a', 'large one'), batches.run('b', 'b1')];
  for (const count of [1, 2, 3]) {
    await expect.poll(items).toHaveLength(count);
    acceptAll();
  }
  await Promise.all(all);
  expect(items()).toEqual([['a1'], ['large one'], ['b1']]);
});

test('refuses more of a sender than may wait, and still accepts items of others up to the total', async () => {
  const first = batches.run('a', 'a1');
  const waiting = [batches.run('a', '123456'), batches.run('a', '123456')];
  expect(() => batches.run('a', '1')).toThrow(Busy);
  waiting.push(batches.run('b', '1234567'));
  expect(() => batches.run('c', '12')).toThrow(Busy);
  waiting.push(batches.run('c', '1'));
  acceptAll();
  await first;
  for (const count of [2, 3, 4, 5]) {
    await expect.poll(items).toHaveLength(count);
    acceptAll();
  }
  await Promise.all(waiting);
  // What was judged no longer counts.
  const last = batches.run('c', '123456789012');
  await expect.poll(items).toHaveLength(6);
  acceptAll();
  await last;
});

test('reports a failure to all items of the batch, and continues', async () => {
  const first = batches.run('a', 'a1');
  const second = batches.run('a', 'a2');
  judged[0]?.fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await expect.poll(items).toEqual([['a1'], ['a2']]);
  acceptAll();
  await second;
});
