import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { expect, test } from 'vitest';
import { CallFailures } from '../../state/call-failures.ts';
import { getMaxCallSize, holdAtFault, judgeCall } from './failed-calls.ts';

const problem = new JourneyProblem('The connection was closed.', { kind: 'no-response', timedOut: false });
const cut = { state: 'waiting', kind: 'upload cut off', attempts: 2, sinceMs: 0 } as const;
const unanswered = { ...cut, kind: 'not answered by Journey' } as const;

const suspicion = (failures: number, failuresAlone = failures, maxCallSize = 1) => ({
  failures,
  failuresAlone,
  maxCallSize,
});
const photo = { bytes: 60_000_000, held: undefined, suspicion: suspicion(1) };
const text = { ...photo, bytes: 0 };
const judge = (write: Parameters<typeof judgeCall>[0][number], isAnotherCut = false) =>
  judgeCall([write], { isAnotherCut, problem })?.fault;

test.each([
  ['the first failure', {}, undefined],
  ['the second failure', { suspicion: suspicion(2) }, undefined],
  ['the third failure', { suspicion: suspicion(3) }, 'record'],
  ['the first failure alone of one that failed with others', { suspicion: suspicion(8, 1) }, 'call'],
  ['the second failure alone of one that failed with others', { suspicion: suspicion(9, 2) }, 'record'],
  ['the first failure of one that waits for another reason', { held: { ...cut, kind: 'other' } }, undefined],
  ['the first failure of one that Journey rejected before', { held: { ...cut, state: 'dead' } }, undefined],
  ['the first failure in this run of one that waits because of its upload', { held: cut }, 'record'],
  ['the first failure in this run of one that waits because of its text', { held: unanswered }, 'record'],
] as const)('decides whether a record alone is at fault, after %s', (_what, change, fault) => {
  expect(judge({ ...photo, ...change })).toBe(fault);
  expect(judge({ ...text, ...change })).toBe(fault);
});

test('takes the first failure of an upload for its own in a page in which another one is cut off, but not of a text', () => {
  expect(judge(photo, true)).toBe('record');
  expect(judge(text, true)).toBeUndefined();
});

test('repeats the page of a failed call twice, then searches the call for the one at fault', () => {
  const call = (failures: number) => Array.from({ length: 5 }, () => ({ ...text, suspicion: suspicion(failures, 0) }));
  expect(judgeCall(call(2), { isAnotherCut: false, problem })).toBeUndefined();
  expect(judgeCall(call(3), { isAnotherCut: false, problem })).toMatchObject({ status: 'undecided', fault: 'call' });
});

test('halves the calls of suspects until each is alone, and ends the search for those that pass', () => {
  const failures = new CallFailures();
  const keys = Array.from({ length: 5 }, (_, index) => ({ table: 'region', id: String(index) }));
  const [first, second, third] = keys;
  if (!first || !second || !third) throw new Error('There are no keys.');
  failures.recordFailure(keys);
  expect(failures.get(first)).toEqual({ failures: 1, failuresAlone: 0, maxCallSize: 3 });
  failures.recordFailure([first, second, third]);
  expect(failures.get(first)).toEqual({ failures: 2, failuresAlone: 0, maxCallSize: 2 });
  failures.recordFailure([first, second]);
  failures.recordFailure([first]);
  expect(failures.get(first)).toEqual({ failures: 4, failuresAlone: 1, maxCallSize: 1 });
  failures.recordSuccess([second, third]);
  expect(failures.get(third)).toEqual({ failures: 0, failuresAlone: 0, maxCallSize: Number.POSITIVE_INFINITY });
});

test('names to operators the size of an upload that is cut off, the last failure and what to do', () => {
  expect(judgeCall([{ ...photo, suspicion: suspicion(3) }], { isAnotherCut: false, problem })).toMatchObject({
    status: 'undecided',
    reason:
      'Journey or something before it cuts off this upload of 60 MB: The connection was closed. Raise the limits of body size and time there, or use a smaller file. It is retried automatically, at least every hour.',
  });
  const small = [{ ...photo, suspicion: suspicion(3), bytes: 1_001 }];
  expect(judgeCall(small, { isAnotherCut: false, problem })?.reason).toContain('of 2 kB:');
});

test('names to operators what answered in place of Journey, and what to do', () => {
  expect(judgeCall([{ ...text, suspicion: suspicion(3) }], { isAnotherCut: false, problem })).toMatchObject({
    kind: 'not answered by Journey',
    reason:
      'Journey answers other calls, but not one with this record: The connection was closed. Correct what refuses it, such as a rule of a firewall, or change or skip the record.',
  });
});

const backoff = { initialMs: 5_000, maxMs: 3_600_000 };
const recent = { nowMs: 1_000, lastSentMs: 0 };

test('retries an upload that is cut off with growing delays, without an end', () => {
  const hours = { nowMs: 36_000_000, lastSentMs: 36_000_000 };
  const delays = [undefined, ...[1, 2, 3, 100, 10_000].map((attempts) => ({ ...cut, attempts }))].map((before) =>
    holdAtFault(before, cut.kind, backoff, hours),
  );
  expect(delays).toEqual(
    [5_000, 10_000, 20_000, 40_000, 3_600_000, 3_600_000].map((retryMs) => ({ state: 'waiting', retryMs })),
  );
  const other = { ...cut, kind: 'other', attempts: 9 };
  expect(holdAtFault(other, cut.kind, backoff, hours)).toEqual({ state: 'waiting', retryMs: 5_000 });
});

test('leaves a record that is not answered to an operator after an hour in which others passed', () => {
  const hold = (base: { readonly nowMs: number; readonly lastSentMs: number | null }) =>
    holdAtFault(unanswered, unanswered.kind, backoff, base);
  const hour = 3_600_000;
  expect(hold(recent)).toEqual({ state: 'waiting', retryMs: 20_000 });
  expect(hold({ nowMs: hour - 1, lastSentMs: hour - 2 })).toMatchObject({ state: 'waiting' });
  expect(hold({ nowMs: hour, lastSentMs: hour - 1 })).toEqual({ state: 'dead' });
  expect(hold({ nowMs: hour, lastSentMs: 0 })).toMatchObject({ state: 'waiting' });
  expect(hold({ nowMs: hour, lastSentMs: null })).toMatchObject({ state: 'waiting' });
});

test('sends large files, records known to fail, and suspects in calls of their own size', () => {
  const free = suspicion(0, 0, Number.POSITIVE_INFINITY);
  expect(getMaxCallSize(1_000_000, undefined, free)).toBe(Number.POSITIVE_INFINITY);
  expect(getMaxCallSize(1_000_001, undefined, free)).toBe(1);
  expect(getMaxCallSize(0, unanswered, free)).toBe(1);
  expect(getMaxCallSize(0, undefined, suspicion(4, 0, 12))).toBe(12);
});
