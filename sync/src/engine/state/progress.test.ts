import { expect, test } from 'vitest';
import { Progress } from './progress.ts';

const never = new AbortController().signal;
const snapshot = { head: '9', tables: ['region'], afterId: null, count: 0 };
const createProgress = () => new Progress({ changeLogCursor: '5', opLogCursor: '7', toHelium: null, toJourney: null });

test('moves the cursor of each direction separately', () => {
  const progress = createProgress();
  progress.moveChangeLogTo('6', false);
  progress.moveOpLogTo('12');
  expect(progress.position).toEqual({ changeLogCursor: '6', opLogCursor: '12', toHelium: null, toJourney: null });
});

test('counts changes as waiting from the first one until the end of the change log', () => {
  const progress = createProgress();
  expect(progress.recordChanges(100)).toBe(100);
  expect(progress.recordChanges(200)).toBe(100);
  progress.moveChangeLogTo('6', false);
  expect(progress.waitingSinceMs).toBe(100);
  progress.moveChangeLogTo('7', true);
  expect(progress.waitingSinceMs).toBeNull();
});

test('continues a full read page by page, and ends it at the position to read the log from', () => {
  const progress = createProgress();
  progress.planFullReads({ toHelium: snapshot, toJourney: { ...snapshot, head: null } });
  progress.continueFullReadToHelium({ ...snapshot, count: 3 });
  progress.continueFullReadToJourney({ ...snapshot, head: null, count: 4 });
  expect(progress.fullReadToHelium?.count).toBe(3);
  expect(progress.fullReadToJourney?.count).toBe(4);
  progress.finishFullReadToHelium('9');
  progress.finishFullReadToJourney(null);
  expect(progress.position).toEqual({ changeLogCursor: '5', opLogCursor: '9', toHelium: null, toJourney: null });
});

test('counts as past the log heads when both logs and all full reads are complete', async () => {
  const progress = createProgress();
  const heads = { changeLog: '10', opLog: '10' };
  let isPast = false;
  const arrived = progress.whenPast(heads, never).then(() => {
    isPast = true;
  });
  expect(progress.isAwaited).toBe(true);
  progress.moveChangeLogTo('10', true);
  progress.planFullReads({ toHelium: snapshot, toJourney: null });
  // Compared as numbers: as text, 9 is greater than 10.
  progress.moveOpLogTo('9');
  progress.moveOpLogTo('11');
  await Promise.resolve();
  expect(isPast).toBe(false);
  progress.finishFullReadToHelium(null);
  await arrived;
  expect(progress.isAwaited).toBe(false);
});

test('keeps listings until the op-log is read past them', () => {
  const progress = createProgress();
  expect(progress.hasListings).toBe(true);
  progress.clearListings();
  expect(progress.hasListings).toBe(false);
  progress.markListings();
  expect(progress.hasListings).toBe(true);
});
