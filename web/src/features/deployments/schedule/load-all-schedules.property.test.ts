import type { Schedule } from '@portal/contract/deployments';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadAllSchedules, type ReadSchedules } from './load-all-schedules.ts';
import { scheduleFor } from './schedule.fixture.ts';

const firstMs = Date.UTC(2026, 10, 26);

/** Returns schedules at the given offsets in milliseconds, the latest date first. */
function listAt(offsets: readonly number[]): Schedule[] {
  return offsets
    .map((ms, index) => scheduleFor({ id: String(index + 1), deploymentDate: new Date(firstMs + ms).toISOString() }))
    .sort((a, b) => b.deploymentDate.localeCompare(a.deploymentDate) || Number(b.id) - Number(a.id));
}

function serve(list: readonly Schedule[], limits: number[] = []): ReadSchedules {
  return ({ limit, to }) => {
    limits.push(limit);
    return Promise.resolve(list.filter(({ deploymentDate }) => !to || deploymentDate < to).slice(0, limit));
  };
}

test('loads each schedule once in the order of the server, whichever have the same date', async () => {
  const offsets = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(offsets, fc.nat(60), fc.integer({ min: 1, max: 7 }), async (at, loaded, partSize) => {
      const list = listAt(at);
      expect(await loadAllSchedules(serve(list), list.slice(0, loaded), partSize)).toEqual(list);
    }),
  );
});

test('reads five thousand in five parts', async () => {
  const list = listAt(Array.from({ length: 5_000 }, (_, index) => index * 60_000));
  const limits: number[] = [];
  await loadAllSchedules(serve(list, limits), list.slice(0, 100));
  expect(limits).toEqual([1_001, 1_001, 1_001, 1_001, 1_001]);
});

test('shows the last version of a schedule that is moved to an earlier date in between', async () => {
  const list = listAt([5, 4, 3, 2, 1, 0]);
  const moved = { ...scheduleFor(list[1]), deploymentDate: new Date(firstMs).toISOString(), revision: 2 };
  const now = [list[0], list[2], list[3], list[4], moved, list[5]].filter((one) => one !== undefined);
  expect(await loadAllSchedules(serve(now), list.slice(0, 2), 2)).toEqual(
    [...now].sort((a, b) => b.deploymentDate.localeCompare(a.deploymentDate) || Number(b.id) - Number(a.id)),
  );
});
