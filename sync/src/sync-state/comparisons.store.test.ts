import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDriftPoint, listDriftPoints } from './comparisons.store.ts';
import { claimRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let database: TestDatabase;
let pool: Pool;
let stateId: number;
let other: number;

const claimState = async (key: string) => (await claimRun(pool, key, '1', { changeLog: '0', opLog: '0' })).stateId;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { applicationName: 'portal sync test' });
  await prepareState(pool);
  stateId = await claimState('one');
  other = await claimState('other');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => pool.query('delete from __portal_sync__.comparison'));

const add = (table: string, drifted: number, of = stateId) =>
  addDriftPoint(pool, of, { table, helium: 10, journey: 10 - drifted, drifted, held: 0, leftAsIs: 0 });
const age = (days: number) =>
  pool.query('update __portal_sync__.comparison set at = at - make_interval(days => $1)', [days]);

describe('stored comparisons', () => {
  it('lists the comparisons of this integration per table, oldest first', async () => {
    for (const drifted of [3, 0]) {
      await add('visit', drifted);
      await add('farmer', 0);
      await add('visit', 7, other);
    }
    expect(await listDriftPoints(pool, stateId)).toMatchObject([
      { table: 'farmer', helium: 10, journey: 10, drifted: 0, held: 0 },
      { table: 'farmer' },
      { table: 'visit', journey: 7, drifted: 3, at: expect.stringMatching(/^\d{4}-.*Z$/) },
      { table: 'visit', drifted: 0 },
    ]);
  });

  it('deletes comparisons after a month', async () => {
    await add('visit', 1);
    await age(29);
    await add('visit', 2);
    expect((await listDriftPoints(pool, stateId)).map(({ drifted }) => drifted)).toEqual([1, 2]);
    await age(2);
    expect((await listDriftPoints(pool, stateId)).map(({ drifted }) => drifted)).toEqual([2]);
    await add('farmer', 3);
    const { rows } = await pool.query('select drifted from __portal_sync__.comparison order by id');
    expect(rows).toEqual([{ drifted: 2 }, { drifted: 3 }]);
  });

  it('keeps the newest hundred comparisons of a table', async () => {
    await add('farmer', 0);
    await add('visit', 0, other);
    for (let at = 1; at <= 103; at += 1) await add('visit', at);
    const points = await listDriftPoints(pool, stateId);
    const visits = points.filter(({ table }) => table === 'visit');
    expect([visits.length, visits[0]?.drifted, visits.at(-1)?.drifted]).toEqual([100, 4, 103]);
    expect([points.length, (await listDriftPoints(pool, other)).length]).toEqual([101, 1]);
  });
});
