import type { Schedule } from '@portal/contract/deployments';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLastSave, mergeSchedules } from './merge-schedules.ts';
import { scheduleFor } from './schedule.fixture.ts';

const minute = (minutes: number) => new Date(Date.UTC(2026, 10, 26) + minutes * 60_000).toISOString();

/** A save at its own minute of one of a few schedules, for one of a few dates. */
const saves = fc.array(fc.record({ id: fc.integer({ min: 1, max: 12 }), day: fc.integer({ min: 0, max: 3 }) }), {
  maxLength: 40,
});

/** Returns what the server lists after these saves. */
function list(saved: readonly { readonly id: number; readonly day: number }[]): Schedule[] {
  const byId = new Map<number, Schedule>();
  for (const [at, { id, day }] of saved.entries()) {
    const revision = (byId.get(id)?.revision ?? 0) + 1;
    byId.set(id, scheduleFor({ id: String(id), deploymentDate: minute(day * 1_440), revision, updatedAt: minute(at) }));
  }
  return [...byId.entries()]
    .sort(([id, a], [otherId, b]) => b.deploymentDate.localeCompare(a.deploymentDate) || otherId - id)
    .map(([, schedule]) => schedule);
}

test('merges a list with what was saved since into the list that the server has now', () => {
  fc.assert(
    fc.property(saves, saves, fc.integer({ min: 0, max: 3 }), (earlier, later, repeatedMinutes) => {
      const before = list(earlier);
      const now = list([...earlier, ...later]);
      const last = findLastSave(before);
      const since = last === null ? '' : new Date(Date.parse(last) - repeatedMinutes * 60_000).toISOString();
      expect(
        mergeSchedules(
          before,
          now.filter(({ updatedAt }) => updatedAt >= since),
        ),
      ).toEqual(now);
    }),
  );
});

test('returns the same list when nothing was saved since', () => {
  const before = list([{ id: 1, day: 0 }]);
  expect(mergeSchedules(before, before)).toBe(before);
});
