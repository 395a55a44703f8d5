import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../sync-state/runs.store.ts';
import { addUnfinished, getNextFullRead } from './next-full-read.ts';

const planned: Snapshot = { head: null, tables: ['region'], afterId: null, count: 0, absent: 'delete' };
const synced = ['region', 'farmer', 'visit'];

function readBoth(before: Snapshot): Snapshot | null {
  const both = addUnfinished(planned, before, synced);
  expect(both).toMatchObject({ tables: ['region'], absent: 'delete' });
  return both && getNextFullRead(both);
}

describe('an answer that concerns some tables, while others are being read', () => {
  test('reads the others afterwards, as usual', () => {
    const before: Snapshot = { head: '7', tables: ['farmer', 'region'], afterId: 'f-1', count: 10 };
    expect(readBoth(before)).toEqual({ head: '7', tables: ['farmer'], afterId: null, count: 0 });
  });

  test.each(['keep', 'ask about any'] as const)('deletes in the others only what may be deleted: %s', (absent) => {
    const before: Snapshot = { head: '7', tables: ['visit'], afterId: null, count: 10, absent };
    expect(readBoth(before)).toEqual({ head: '7', tables: ['visit'], afterId: null, count: 0, absent });
  });

  test('reads all others, and deletes nothing in them, when a version was requested since the question', () => {
    const before: Snapshot = { head: null, tables: [], afterId: null, count: 0, isRequested: true };
    expect(readBoth(before)).toEqual({
      head: null,
      tables: ['farmer', 'visit'],
      afterId: null,
      count: 0,
      absent: 'keep',
    });
  });

  test('keeps the one that is planned when there is only one', () => {
    expect(addUnfinished(planned, null, synced)).toBe(planned);
    expect(addUnfinished(null, planned, synced)).toBe(planned);
  });
});
