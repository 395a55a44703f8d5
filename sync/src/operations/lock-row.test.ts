import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId } from '../helium/helium-gateway.fixture.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { lockedReason, lockRow } from './lock-row.ts';

let fixture: HeliumFixture;

const map: ObjectMap = {
  table: 'thing',
  model: 'thing',
  fields: [{ column: 'amount', field: 'amount', kind: 'integer' }],
  toJourney: true,
  toHelium: true,
};

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { thing: ['amount integer'] } });
});
afterAll(() => fixture.drop());

/** Locks a row, as the engine or a user of the app does. */
async function lockElsewhere() {
  const id = newId();
  const [operator, other] = [await fixture.connect(), await fixture.connect()];
  await other.query('insert into thing (_id_, _tstamp_, amount) values ($1, now(), 1)', [id]);
  await other.query('begin');
  await other.query('update thing set amount = 2 where _id_ = $1', [id]);
  await operator.query('begin');
  return { id, operator, other };
}

test('waits for a row that another session keeps locked for a moment, and returns what that session wrote', async () => {
  const { id, operator, other } = await lockElsewhere();
  const { gateway } = fixture;
  const helium: typeof gateway = {
    ...gateway,
    lockRows: async (...args) => {
      const found = await gateway.lockRows(...args);
      if (found.busy.length > 0) await other.query('commit');
      return found;
    },
  };
  const wait = { leftMs: 60_000 };
  expect(await lockRow(operator, helium, { map, id, wait })).toMatchObject({ fields: { amount: 2 } });
  expect(wait.leftMs).toBeLessThan(60_000);
  expect(wait.leftMs).toBeGreaterThan(0);
  await operator.query('rollback');
});

test('refuses a row that stays locked, and finds none where there is none', async () => {
  const { id, operator, other } = await lockElsewhere();
  const wait = { leftMs: 60 };
  await expect(lockRow(operator, fixture.gateway, { map, id, wait })).rejects.toThrow(lockedReason);
  expect(wait.leftMs).toBeLessThanOrEqual(0);
  expect(await lockRow(operator, fixture.gateway, { map, id: newId(), wait })).toBeNull();
  await Promise.all([operator, other].map((session) => session.query('rollback')));
});
