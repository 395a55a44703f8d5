import { Busy } from '@portal/kit/problems';
import { beforeEach, expect, test } from 'vitest';
import { LatestOnly } from './latest-only.ts';

interface Call {
  readonly key: string;
  readonly item: number;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

let calls: Call[];
let latest: LatestOnly<number>;

beforeEach(() => {
  calls = [];
  latest = new LatestOnly({
    spacingMs: 0,
    maxKeys: 2,
    handle: (key, item) =>
      new Promise((resolve, reject) => {
        calls.push({ key, item, end: resolve, fail: reject });
      }),
  });
});

const items = () => calls.map(({ key, item }) => `${key}${item}`);

test('handles one item of a key at a time, and of those that arrive in that time the latest only', async () => {
  const first = latest.run('a', 1);
  const others = [latest.run('a', 2), latest.run('a', 3), latest.run('a', 4)];
  expect(items()).toEqual(['a1']);
  calls[0]?.end();
  await first;
  await expect.poll(items).toEqual(['a1', 'a4']);
  calls[1]?.end();
  await Promise.all(others);
  expect(items()).toEqual(['a1', 'a4']);
});

test('handles an item that arrives after the last one was taken', async () => {
  const first = latest.run('a', 1);
  const second = latest.run('a', 2);
  calls[0]?.end();
  await first;
  await expect.poll(items).toEqual(['a1', 'a2']);
  const third = latest.run('a', 3);
  calls[1]?.end();
  await second;
  await expect.poll(items).toEqual(['a1', 'a2', 'a3']);
  calls[2]?.end();
  await third;
});

test('handles the items of different keys at the same time, and refuses more keys than it may have', async () => {
  const both = [latest.run('a', 1), latest.run('b', 1)];
  expect(items()).toEqual(['a1', 'b1']);
  await expect(latest.run('c', 1)).rejects.toBeInstanceOf(Busy);
  for (const call of calls) call.end();
  await Promise.all(both);
});

test('reports a failure to those who wait for it, and continues', async () => {
  const first = latest.run('a', 1);
  const second = latest.run('a', 2);
  calls[0]?.fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await expect.poll(items).toEqual(['a1', 'a2']);
  calls[1]?.end();
  await second;
});
