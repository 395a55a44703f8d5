import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId } from '../helium/helium-gateway.fixture.ts';
import { addConflicts } from './conflicts.store.ts';
import { readCounts } from './counts.store.ts';
import { listConflicts } from './operations.store.ts';
import { claimRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let fixture: HeliumFixture;
let stateId: number;

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { region: ['name text'] } });
  await prepareState(fixture.pool);
  ({ stateId } = await claimRun(fixture.pool, 'one', '1', { changeLog: '0', opLog: '0' }));
});
afterAll(() => fixture.drop());

const key = { table: 'region', id: newId() };

test('keeps all of 12,000 conflicts, lists the first one, and counts them', async () => {
  const count = 12_000;
  for (let from = 0; from < count; from += 1_000) {
    const conflicts = Array.from({ length: 1_000 }, (_, at) => ({
      key,
      conflict: { column: 'name', helium: `helium ${from + at}`, journey: 'journey', winner: 'journey' as const },
    }));
    expect((await addConflicts(fixture.pool, stateId, conflicts)).removed).toBe(0);
  }
  expect((await readCounts(fixture.pool, stateId)).conflicts).toBe(count);
  const { conflicts, total } = await listConflicts(fixture.pool, stateId, { limit: 1, after: '2' });
  expect([total, conflicts[0]?.helium]).toEqual([count, 'helium 0']);
});

test('counts one more than 100,000 when there are more, so that the number is not taken for all', async () => {
  await fixture.pool.query(
    `insert into __portal_sync__.conflict (state_id, table_name, id, winner)
     select $1, 'region', gen_random_uuid(), 'helium' from generate_series(1, 100000)`,
    [stateId],
  );
  expect((await readCounts(fixture.pool, stateId)).conflicts).toBe(100_001);
});

test('reports how many conflicts it removes because they are older than a year', async () => {
  await fixture.pool.query(`update __portal_sync__.conflict set at = now() - interval '366 days' where number <= 7`);
  const conflict = { column: null, helium: null, journey: { name: 'x' }, winner: 'helium' as const };
  expect((await addConflicts(fixture.pool, stateId, [{ key, conflict }])).removed).toBe(7);
});
