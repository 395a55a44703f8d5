import { counterNames } from '@portal/platforms/helium-database/statistics/statement-columns';
import { expect, it } from 'vitest';
import { packNumbers } from './snapshot-numbers.ts';
import type { FoundSnapshot } from './snapshots.store.ts';
import { countTrends } from './trends.ts';

const startedAt = new Date('2026-11-01T00:00:00Z');

/** Returns a snapshot of these numbers of calls. Each call takes a tenth of a millisecond. */
async function snapshotAt(
  hour: number,
  calls: Readonly<Record<string, number>>,
  { statsReset = startedAt, serverStartedAt = startedAt }: Partial<FoundSnapshot> = {},
): Promise<FoundSnapshot> {
  const counts = Object.values(calls);
  const counters = counterNames.map((name) =>
    counts.map((count) => (name === 'calls' ? count : name === 'total_time' ? count / 10 : null)),
  );
  return {
    takenAt: new Date(Date.UTC(2026, 10, 21, hour)),
    statsReset,
    serverStartedAt,
    numbers: await packNumbers({ ids: Object.keys(calls), counters }),
  };
}

it('counts the calls and their time between the snapshots', async () => {
  const snapshots = [
    await snapshotAt(10, { old: 5, other: 1 }),
    await snapshotAt(11, { old: 25 }),
    await snapshotAt(12, { old: 25, young: 4 }),
    await snapshotAt(13, { old: 26, young: 10 }),
  ];
  expect(await countTrends(snapshots, ['young', 'old', 'unknown', 'old'])).toEqual({
    takenAt: ['10', '11', '12', '13'].map((hour) => `2026-11-21T${hour}:00:00.000Z`),
    trends: [
      { id: 'old', calls: [20, 0, 1], total_time: [2, 0, expect.closeTo(0.1)] },
      { id: 'young', calls: [0, 4, 6], total_time: [0, 0.4, 0.6] },
    ],
  });
});

it('counts from zero after a reset, even when the count exceeds the one before', async () => {
  const statsReset = new Date('2026-11-21T10:30:00Z');
  const snapshots = [
    await snapshotAt(10, { one: 5 }),
    await snapshotAt(11, { one: 7 }, { statsReset }),
    await snapshotAt(12, {}, { statsReset }),
  ];
  expect((await countTrends(snapshots, ['one'])).trends).toMatchObject([{ calls: [7, 0] }]);
});

it('counts from zero after a restart that lost the counts of a server that reports no resets', async () => {
  const before = { statsReset: null };
  const after = { statsReset: null, serverStartedAt: new Date('2026-11-21T10:30:00Z') };
  const lost = [await snapshotAt(10, { one: 5, two: 9 }, before), await snapshotAt(11, { one: 7, two: 1 }, after)];
  expect((await countTrends(lost, ['one'])).trends).toMatchObject([{ calls: [7] }]);
  const stored = [await snapshotAt(10, { one: 5, two: 9 }, before), await snapshotAt(11, { one: 7, two: 9 }, after)];
  expect((await countTrends(stored, ['one'])).trends).toMatchObject([{ calls: [2] }]);
});

it('has no intervals without two snapshots', async () => {
  expect(await countTrends([], ['one'])).toEqual({ takenAt: [], trends: [] });
  const [only] = (await countTrends([await snapshotAt(10, { one: 5 })], ['one'])).trends;
  expect(only).toEqual({ id: 'one', calls: [], total_time: [] });
});
