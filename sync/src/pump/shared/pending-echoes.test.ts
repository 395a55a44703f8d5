import { expect, test } from 'vitest';
import { PendingEchoes } from './pending-echoes.ts';

const never = new AbortController().signal;
const begin = (acknowledged = 0, mustReadFirst = false) => new PendingEchoes({ acknowledged, mustReadFirst });

/** Ends of the op-log, each of a page requested now, until one settles. */
function countEnds(echoes: PendingEchoes): number {
  for (let ends = 1; ends < 100; ends += 1) {
    const upTo = echoes.reachEnd(echoes.snapshot());
    if (upTo === null) continue;
    echoes.settle(upTo);
    return ends;
  }
  throw new Error('Nothing was ever settled.');
}

test('the end of the op-log is believed when five answers in a row report it', () => {
  const echoes = begin(3);
  expect(countEnds(echoes)).toBe(5);
  expect(echoes.hasUnsettled).toBe(false);
});

test('without anything unsettled an end of the op-log settles nothing', () => {
  const echoes = begin();
  countEnds(echoes);
  for (let ends = 0; ends < 10; ends += 1) expect(echoes.reachEnd(echoes.snapshot())).toBeNull();
});

test('what is acknowledged after the first of the ends waits for five of its own', () => {
  const echoes = begin(3);
  expect(echoes.reachEnd(echoes.snapshot())).toBeNull();
  echoes.acknowledge(8);
  echoes.expectEchoes();
  for (let ends = 2; ends < 5; ends += 1) expect(echoes.reachEnd(echoes.snapshot())).toBeNull();
  expect(echoes.reachEnd(echoes.snapshot())).toBe(3);
  echoes.settle(3);
  expect(echoes.hasUnsettled).toBe(true);
  expect(countEnds(echoes)).toBe(5);
  expect(echoes.hasUnsettled).toBe(false);
});

test('a page that was requested before an answer came settles nothing of that answer', () => {
  const echoes = begin(3);
  const requested = echoes.snapshot();
  echoes.acknowledge(8);
  for (let ends = 1; ends < 5; ends += 1) expect(echoes.reachEnd(requested)).toBeNull();
  expect(echoes.reachEnd(requested)).toBe(3);
});

test('settling that fails is repeated at the next end', () => {
  const echoes = begin(3);
  for (let ends = 1; ends < 5; ends += 1) echoes.reachEnd(echoes.snapshot());
  expect(echoes.reachEnd(echoes.snapshot())).toBe(3);
  expect(echoes.hasUnsettled).toBe(true);
  expect(echoes.reachEnd(echoes.snapshot())).toBe(3);
});

test('acknowledgements only grow', () => {
  const echoes = begin(3);
  echoes.acknowledge(0);
  expect(echoes.snapshot().acknowledged).toBe(3);
});

test('after a lost answer nothing may be sent until a page requested since ends the op-log', () => {
  const echoes = begin();
  const requestedBefore = echoes.snapshot();
  echoes.loseAnswer();
  expect(echoes.allowSending(requestedBefore)).toBe(false);
  expect(echoes.mustReadFirst).toBe(true);
  expect(echoes.allowSending(echoes.snapshot())).toBe(true);
  expect(echoes.mustReadFirst).toBe(false);
});

test('calls that the run before left unanswered are read for first', () => {
  expect(begin(0, true).mustReadFirst).toBe(true);
});

test('whoever waits for the echoes is resumed once they are settled, and rejected by an abort', async () => {
  const echoes = begin(3);
  const ending = new AbortController();
  const settled = echoes.whenSettled(never);
  const aborted = echoes.whenSettled(ending.signal);
  ending.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  expect(echoes.isAwaited).toBe(true);
  countEnds(echoes);
  await settled;
  expect(echoes.isAwaited).toBe(false);
});
