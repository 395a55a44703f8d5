import { expect, test } from 'vitest';
import { PendingEchoes, type Unsettled } from './echoes.ts';

const never = new AbortController().signal;
const startMs = 1_000_000;
const createEchoes = (acknowledged = 0, mustReadFirst = false) =>
  new PendingEchoes({ acknowledged, answeredAtMs: startMs, mustReadFirst });

const nothing: Unsettled = { isKept: false, behindSinceMs: null };

/** Records ends of the op-log, each of a page requested now, until something is to be checked. */
function countEnds(echoes: PendingEchoes, unsettled = nothing): number {
  for (let ends = 1; ends < 100; ends += 1) {
    const upTo = echoes.recordEnd(echoes.snapshot());
    if (upTo === null) continue;
    echoes.settle(upTo, unsettled);
    return ends;
  }
  throw new Error('Nothing was ever checked.');
}

test('checks what has not come back after five ends of the op-log', () => {
  const echoes = createEchoes(3);
  expect(countEnds(echoes)).toBe(5);
  expect(echoes.hasUnsettled).toBe(false);
});

test('checks nothing at the end of the op-log without unsettled echoes', () => {
  const echoes = createEchoes();
  countEnds(echoes);
  for (let ends = 0; ends < 10; ends += 1) expect(echoes.recordEnd(echoes.snapshot())).toBeNull();
});

test('waits for five ends of its own with what is acknowledged after the first end', () => {
  const echoes = createEchoes(3);
  expect(echoes.recordEnd(echoes.snapshot())).toBeNull();
  echoes.acknowledge(8, startMs);
  echoes.expectEchoes();
  for (let ends = 2; ends < 5; ends += 1) expect(echoes.recordEnd(echoes.snapshot())).toBeNull();
  expect(echoes.recordEnd(echoes.snapshot())).toBe(3);
  echoes.settle(3, nothing);
  expect(echoes.hasUnsettled).toBe(true);
  expect(countEnds(echoes)).toBe(5);
  expect(echoes.hasUnsettled).toBe(false);
});

test('repeats a check that failed at the next end', () => {
  const echoes = createEchoes(3);
  for (let ends = 1; ends < 5; ends += 1) echoes.recordEnd(echoes.snapshot());
  expect(echoes.recordEnd(echoes.snapshot())).toBe(3);
  expect(echoes.hasUnsettled).toBe(true);
  expect(echoes.recordEnd(echoes.snapshot())).toBe(3);
});

test('never moves acknowledgements backwards', () => {
  const echoes = createEchoes(3);
  echoes.acknowledge(0, startMs);
  expect(echoes.snapshot().acknowledged).toBe(3);
});

test('takes an entry as proof for the calls that were answered well before it, in this run or an earlier one', () => {
  const echoes = createEchoes(3);
  const nowMs = startMs + 60_000;
  echoes.acknowledge(8, startMs + 10_000);
  echoes.acknowledge(12, startMs + 20_000);
  const findProven = (entryAtMs: number) => echoes.getProof(entryAtMs, nowMs).acknowledgedBefore;
  expect([startMs, startMs + 1_000, startMs + 1_001].map(findProven)).toEqual([0, 0, 3]);
  expect([startMs + 11_000, startMs + 11_001, startMs + 30_000].map(findProven)).toEqual([3, 8, 12]);
  expect(echoes.getProofSoFar(nowMs).acknowledgedBefore).toBe(0);
  echoes.recordRead([startMs + 5_000, startMs + 15_000, startMs + 4_000], nowMs);
  expect(echoes.getProofSoFar(nowMs)).toEqual({ entryAtMs: startMs + 15_000, nowMs, acknowledgedBefore: 8 });
  // Entries are in order, so what came before them came before the next one.
  expect(findProven(0)).toBe(8);
  expect(echoes.getAnsweredAtMs(12)).toBe(startMs + 20_000);
});

test('takes no entry as proof that has a time which Journey’s clock has not reached', () => {
  const echoes = createEchoes(3);
  echoes.recordRead([startMs + 3_600_000], startMs + 5_000);
  expect(echoes.getProofSoFar(startMs + 5_000)).toMatchObject({ entryAtMs: 0, acknowledgedBefore: 0 });
});

test('is past a missing record once an entry is read that was written after Journey reported it', () => {
  const echoes = createEchoes();
  echoes.recordMissing(startMs + 10_000);
  echoes.recordRead([startMs + 11_000], startMs + 60_000);
  expect(echoes.isPastMissing).toBe(false);
  echoes.recordRead([startMs + 11_001], startMs + 60_000);
  expect(echoes.isPastMissing).toBe(true);
});

test('asks Journey less and less often while something stays unsettled, but at least once in five minutes', () => {
  const echoes = createEchoes(3);
  const asked: number[] = [];
  for (let end = 1; end <= 2_000; end += 1) {
    const upTo = echoes.recordEnd(echoes.snapshot());
    if (upTo === null) continue;
    if (echoes.mayAsk()) {
      asked.push(end);
      echoes.settle(upTo, { isKept: false, behindSinceMs: startMs });
    } else echoes.postpone();
  }
  expect(asked.slice(0, 6)).toEqual([5, 15, 30, 55, 100, 185]);
  expect(asked.at(-1)).toBe((asked.at(-2) ?? 0) + 305);
  expect(echoes.hasUnsettled).toBe(true);
  expect(echoes.behindSinceMs).toBe(startMs);
});

test('does not check a kept intent again until a new entry arrives', () => {
  const echoes = createEchoes(3);
  countEnds(echoes, { isKept: true, behindSinceMs: null });
  expect(echoes.hasUnsettled).toBe(false);
  echoes.recordRead([startMs + 5_000], startMs + 60_000);
  expect(countEnds(echoes)).toBe(5);
  echoes.recordRead([startMs + 6_000], startMs + 60_000);
  expect(echoes.hasUnsettled).toBe(false);
});

test('blocks sending after a lost response until a page requested since then ends the op-log', () => {
  const echoes = createEchoes();
  const requestedBefore = echoes.snapshot();
  echoes.markUnanswered();
  expect(echoes.allowSending(requestedBefore)).toBe(false);
  expect(echoes.mustReadFirst).toBe(true);
  expect(echoes.allowSending(echoes.snapshot())).toBe(true);
  expect(echoes.mustReadFirst).toBe(false);
});

test('reads the op-log first when the previous run left unanswered calls', () => {
  expect(createEchoes(0, true).mustReadFirst).toBe(true);
});

test('resumes callers that wait for echoes once they are settled, and rejects them on abort', async () => {
  const echoes = createEchoes(3);
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
