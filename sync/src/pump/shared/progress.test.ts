import { expect, test } from 'vitest';
import { Progress } from './progress.ts';

const never = new AbortController().signal;
const snapshot = { head: '9', tables: ['region'], afterId: null, count: 0 };
const begin = () => new Progress({ changeLogCursor: '5', opLogCursor: '7', toHelium: null, toJourney: null });

test('each direction moves its own cursor', () => {
  const progress = begin();
  progress.moveChangeLogTo('6', false);
  progress.moveOpLogTo('12');
  expect(progress.position).toEqual({ changeLogCursor: '6', opLogCursor: '12', toHelium: null, toJourney: null });
});

test('changes wait since the first of them was noticed, until the end of the change log', () => {
  const progress = begin();
  expect(progress.noticeChanges(100)).toBe(100);
  expect(progress.noticeChanges(200)).toBe(100);
  progress.moveChangeLogTo('6', false);
  expect(progress.waitingSinceMs).toBe(100);
  progress.moveChangeLogTo('7', true);
  expect(progress.waitingSinceMs).toBeNull();
});

test('a full read continues page by page, and ends where the log is to be read from', () => {
  const progress = begin();
  progress.planFullReads({ toHelium: snapshot, toJourney: { ...snapshot, head: null } });
  progress.continueFullReadToHelium({ ...snapshot, count: 3 });
  progress.continueFullReadToJourney({ ...snapshot, head: null, count: 4 });
  expect(progress.fullReadToHelium?.count).toBe(3);
  expect(progress.fullReadToJourney?.count).toBe(4);
  progress.finishFullReadToHelium('9');
  progress.finishFullReadToJourney(null);
  expect(progress.position).toEqual({ changeLogCursor: '5', opLogCursor: '9', toHelium: null, toJourney: null });
});

test('is past the heads of the logs when both are read and nothing is to be read whole', async () => {
  const progress = begin();
  const heads = { changeLog: '10', opLog: '10' };
  let isPast = false;
  const past = progress.whenPast(heads, never).then(() => {
    isPast = true;
  });
  expect(progress.isAwaited).toBe(true);
  progress.moveChangeLogTo('10', true);
  progress.planFullReads({ toHelium: snapshot, toJourney: null });
  // As numbers: as text, 9 is behind 10.
  progress.moveOpLogTo('9');
  progress.moveOpLogTo('11');
  await Promise.resolve();
  expect(isPast).toBe(false);
  progress.finishFullReadToHelium(null);
  await past;
  expect(progress.isAwaited).toBe(false);
});

test('listings are remembered until the op-log is read past them', () => {
  const progress = begin();
  expect(progress.hasListings).toBe(true);
  progress.forgetListings();
  expect(progress.hasListings).toBe(false);
  progress.rememberListings();
  expect(progress.hasListings).toBe(true);
});
