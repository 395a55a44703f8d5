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

const startedAt = new Date(firstMs).toISOString();

/** Answers like the server, whose list may change between two calls. */
function serve(getList: () => readonly Schedule[], limits: (number | undefined)[] = []): ReadSchedules {
  return ({ limit, to, since = '' }) => {
    limits.push(limit);
    const found = getList().filter(
      ({ deploymentDate, updatedAt }) => (!to || deploymentDate < to) && updatedAt >= since,
    );
    return Promise.resolve(found.slice(0, limit));
  };
}

test('loads each schedule once in the order of the server, whichever have the same date', async () => {
  const offsets = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(offsets, fc.nat(60), fc.integer({ min: 1, max: 7 }), async (at, loaded, partSize) => {
      const list = listAt(at);
      const newest = list.slice(0, loaded);
      expect(
        await loadAllSchedules(
          serve(() => list),
          { newest, startedAt },
          partSize,
        ),
      ).toEqual(list);
    }),
  );
});

test('reads five thousand in five parts', async () => {
  const list = listAt(Array.from({ length: 5_000 }, (_, index) => index * 60_000));
  const limits: (number | undefined)[] = [];
  await loadAllSchedules(
    serve(() => list, limits),
    { newest: list.slice(0, 100), startedAt },
  );
  expect(limits).toEqual([1_001, 1_001, 1_001, 1_001, 1_001, undefined]);
});

test('has what was saved while it loads, whichever schedules are moved to whichever dates', async () => {
  const moves = fc.array(fc.record({ index: fc.nat(19), ms: fc.integer({ min: -2, max: 22 }) }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(moves, fc.integer({ min: 1, max: 7 }), async (planned, partSize) => {
      let list = listAt(Array.from({ length: 20 }, (_, index) => index));
      const newest = list.slice(0, 3);
      const read = serve(() => list);
      const result = await loadAllSchedules(
        async (request) => {
          const found = await read(request);
          const move = request.since === undefined ? planned.pop() : undefined;
          if (move) list = moveOne(list, move);
          return found;
        },
        { newest, startedAt },
        partSize,
      );
      expect(result).toEqual(list);
    }),
  );
});

/** Saves a schedule at another date, after the load began. */
function moveOne(list: readonly Schedule[], { index, ms }: { index: number; ms: number }): Schedule[] {
  return list
    .map((one) =>
      one.id === String(index + 1)
        ? {
            ...one,
            deploymentDate: new Date(firstMs + ms).toISOString(),
            revision: one.revision + 1,
            updatedAt: new Date(firstMs + 1).toISOString(),
          }
        : one,
    )
    .sort((a, b) => b.deploymentDate.localeCompare(a.deploymentDate) || Number(b.id) - Number(a.id));
}
