import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { expect, test } from 'vitest';
import { holdCutOff, judgeUpload, needsOwnCall } from './cut-uploads.ts';

const problem = new JourneyProblem('The connection was closed.', { kind: 'no-response', timedOut: false });
const failed = { bytes: 60_000_000, failures: 1, held: undefined, isAnotherCut: false, problem };
const cutOff = { state: 'waiting', kind: 'upload cut off', attempts: 2 } as const;

test.each([
  ['the first failure', {}, false],
  ['the second failure', { failures: 2 }, false],
  ['the third failure', { failures: 3 }, true],
  ['the first failure of a record that waits for another reason', { held: { ...cutOff, kind: 'other' } }, false],
  ['the first failure of a record that Journey rejected before', { held: { ...cutOff, state: 'dead' } }, false],
  ['the first failure in this run of a record that waits because it was cut off', { held: cutOff }, true],
  ['the first failure in a page in which another upload is cut off', { isAnotherCut: true }, true],
] as const)('decides whether an upload is cut off, after %s', (_what, change, isCutOff) => {
  expect(judgeUpload({ ...failed, ...change })?.isCutOff ?? false).toBe(isCutOff);
});

test('names to operators the size of an upload that is cut off, the last failure and what to do', () => {
  expect(judgeUpload({ ...failed, failures: 3 })).toMatchObject({
    status: 'undecided',
    reason:
      'Journey or something before it cuts off this upload of 60 MB: The connection was closed. Raise the limits of body size and time there, or use a smaller file. It is retried automatically, at least every hour.',
  });
  expect(judgeUpload({ ...failed, failures: 3, bytes: 1_001 })?.reason).toContain('of 2 kB:');
});

test('retries an upload that is cut off with growing delays, without an end', () => {
  const backoff = { initialMs: 5_000, maxMs: 3_600_000 };
  const delays = [undefined, ...[1, 2, 3, 100, 10_000].map((attempts) => ({ ...cutOff, attempts }))].map(
    (before) => holdCutOff(before, backoff).retryMs,
  );
  expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 3_600_000, 3_600_000]);
  expect(holdCutOff({ ...cutOff, kind: 'other', attempts: 9 }, backoff).retryMs).toBe(5_000);
});

test('sends large files, and files whose call has failed twice, in calls of their own', () => {
  expect(needsOwnCall(1_000_000, 1)).toBe(false);
  expect(needsOwnCall(1_000_001, 0)).toBe(true);
  expect(needsOwnCall(1, 2)).toBe(true);
});
