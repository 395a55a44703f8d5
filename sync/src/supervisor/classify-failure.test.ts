import { Unreachable } from '@portal/kit/problems';
import { expect, test } from 'vitest';
import { StateVersionMismatch } from '../integration/state-version-mismatch.ts';
import { classifyFailure, noFailures } from './classify-failure.ts';

const retryLimits = {
  maxFailures: 3,
  stableAfterMs: 60_000,
  outageBackoff: { initialMs: 10, maxMs: 10 },
  failureBackoff: { initialMs: 20, maxMs: 20 },
};
const afterRun = (error: unknown, counts = noFailures, durationMs = 0) =>
  classifyFailure(error, { counts, durationMs, retryLimits });

test('retries an outage without limit and does not count it as a failure', () => {
  expect(afterRun(new Unreachable('Journey is away.'), { outages: 99, failures: 1 })).toEqual({
    kind: 'outage',
    counts: { outages: 100, failures: 1 },
    retryMs: expect.any(Number),
  });
  expect(afterRun(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })).kind).toBe('outage');
});

test('retries any other failure a limited number of times in a row, then halts without its text', () => {
  expect(afterRun(new Error('a bug'), { outages: 0, failures: 1 })).toMatchObject({ kind: 'failure' });
  expect(afterRun(new Error('a bug'), { outages: 0, failures: 2 })).toEqual({
    kind: 'halt',
    counts: { outages: 0, failures: 3 },
    reason: 'It failed 3 times in a row: An unexpected error occurred; see the log of the sync service.',
  });
});

test('resets the count after a run that lasted long enough', () => {
  expect(afterRun(new Error('a bug'), { outages: 7, failures: 2 }, 60_000)).toMatchObject({
    kind: 'failure',
    counts: { outages: 0, failures: 1 },
  });
});

test('halts at once on state of another version, because no retry can succeed', () => {
  expect(afterRun(new StateVersionMismatch('Drop it.'))).toEqual({
    kind: 'halt',
    counts: noFailures,
    reason: 'Drop it.',
  });
});
