import { expect, test } from 'vitest';
import { PendingEchoes } from './pending-echoes.ts';

const never = new AbortController().signal;
const createEchoes = (acknowledged = 0, mustReadFirst = false) => new PendingEchoes({ acknowledged, mustReadFirst });

/** Records ends of the op-log, each of a page requested now, until one settles. */
function countEnds(echoes: PendingEchoes): number {
  for (let ends = 1; ends < 100; ends += 1) {
    const upTo = echoes.recordEnd(echoes.snapshot());
    if (upTo === null) continue;
    echoes.settle(upTo);
    return ends;
  }
  throw new Error('Nothing was ever settled.');
}

test('believes the end of the op-log when five responses in a row report it', () => {
  const echoes = createEchoes(3);
  expect(countEnds(echoes)).toBe(5);
  expect(echoes.hasUnsettled).toBe(false);
});

test('settles nothing at the end of the op-log without unsettled echoes', () => {
  const echoes = createEchoes();
  countEnds(echoes);
  for (let ends = 0; ends < 10; ends += 1) expect(echoes.recordEnd(echoes.snapshot())).toBeNull();
});

test('requires five ends of its own for what is acknowledged after the first end', () => {
  const echoes = createEchoes(3);
  expect(echoes.recordEnd(echoes.snapshot())).toBeNull();
  echoes.acknowledge(8);
  echoes.expectEchoes();
  for (let ends = 2; ends < 5; ends += 1) expect(echoes.recordEnd(echoes.snapshot())).toBeNull();
  expect(echoes.recordEnd(echoes.snapshot())).toBe(3);
  echoes.settle(3);
  expect(echoes.hasUnsettled).toBe(true);
  expect(countEnds(echoes)).toBe(5);
  expect(echoes.hasUnsettled).toBe(false);
});

test('does not settle what was acknowledged after the page was requested', () => {
  const echoes = createEchoes(3);
  const requested = echoes.snapshot();
  echoes.acknowledge(8);
  for (let ends = 1; ends < 5; ends += 1) expect(echoes.recordEnd(requested)).toBeNull();
  expect(echoes.recordEnd(requested)).toBe(3);
});

test('repeats a settlement that failed at the next end', () => {
  const echoes = createEchoes(3);
  for (let ends = 1; ends < 5; ends += 1) echoes.recordEnd(echoes.snapshot());
  expect(echoes.recordEnd(echoes.snapshot())).toBe(3);
  expect(echoes.hasUnsettled).toBe(true);
  expect(echoes.recordEnd(echoes.snapshot())).toBe(3);
});

test('never moves acknowledgements backwards', () => {
  const echoes = createEchoes(3);
  echoes.acknowledge(0);
  expect(echoes.snapshot().acknowledged).toBe(3);
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
