import { expect, test } from 'vitest';
import { RefreshQueue } from './refresh-queue.ts';

const never = new AbortController().signal;
const key = (id: string) => ({ table: 'region', id });

test('resolves when its own records are refreshed, whatever was added since', async () => {
  const queue = new RefreshQueue();
  const first = queue.add([key('a'), key('b')], never);
  let isLaterDone = false;
  const later = queue.add([key('c')], never).then(() => {
    isLaterDone = true;
  });
  expect(queue.first).toEqual(key('a'));
  queue.removeFirst();
  queue.removeFirst();
  await first;
  expect(isLaterDone).toBe(false);
  expect(queue.first).toEqual(key('c'));
  queue.removeFirst();
  await later;
  expect(queue.first).toBeUndefined();
});

test('resolves at once without records', async () => {
  await new RefreshQueue().add([], never);
});

test('rejects when the run is aborted before the records are refreshed', async () => {
  const ending = new AbortController();
  const refreshed = new RefreshQueue().add([key('a')], ending.signal);
  ending.abort(new Error('stopped'));
  await expect(refreshed).rejects.toThrow('stopped');
});

test('does not count a removal from an empty queue', async () => {
  const queue = new RefreshQueue();
  queue.removeFirst();
  const refreshed = queue.add([key('a')], never);
  let isDone = false;
  void refreshed.then(() => {
    isDone = true;
  });
  await Promise.resolve();
  expect(isDone).toBe(false);
  queue.removeFirst();
  await refreshed;
});
