import { randomUUID } from 'node:crypto';
import type { TrailEvent } from '@portal/contract/sync/trail';
import { inTransaction } from '@portal/kit/postgres/pool';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../helium/helium-gateway.ts';
import { claimRun } from './runs.store.ts';
import { beginning, createStateDatabase, pool } from './state-database.fixture.ts';
import { addToTrail, readTrail } from './trail.store.ts';

createStateDatabase();

let stateId: number;
let otherId: number;

beforeAll(async () => {
  ({ stateId } = await claimRun(pool, 'one', '1', beginning));
  ({ stateId: otherId } = await claimRun(pool, 'other', '1', beginning));
});

const add = (id: string, event: 'sent' | 'written', { version = '7', table = 'visit', state = stateId } = {}) =>
  addToTrail(pool, state, { version, events: [{ key: { table, id }, event }] });
const read = async (id: string, table = 'visit') =>
  ((await readTrail(pool, stateId, [{ table, id }], 10)).get({ table, id }) ?? []).map(({ event, version }) => [
    event,
    version,
  ]);

test('returns what happened to a record of one integration and table, the newest first', async () => {
  const id = randomUUID();
  await add(id, 'sent');
  await add(id, 'sent', { state: otherId });
  await add(id, 'sent', { table: 'farmer' });
  await add(id, 'written', { version: '18446744073709551615' });
  await add(randomUUID(), 'written');
  expect(await read(id)).toEqual([
    ['written', '18446744073709551615'],
    ['sent', '7'],
  ]);
  expect(await read(randomUUID())).toEqual([]);
});

test('does not return entries older than 30 days, and removes them as new ones are added', async () => {
  const id = randomUUID();
  await add(id, 'sent');
  await pool.query(`update __portal_sync__.trail set at = now() - interval '31 days' where state_id = $1`, [stateId]);
  expect(await read(id)).toEqual([]);
  await add(id, 'written');
  await add(id, 'written');
  const { rows } = await pool.query(
    `select count(*)::int as old from __portal_sync__.trail where state_id = $1 and at < now() - interval '30 days'`,
    [stateId],
  );
  expect(rows).toEqual([{ old: 0 }]);
  expect(await read(id)).toHaveLength(2);
});

test('removes the oldest entries beyond 128 MiB', async () => {
  const id = randomUUID();
  await add(id, 'sent');
  await add(id, 'written');
  await pool.query(
    `update __portal_sync__.trail set total = total + 130 * 1024 * 1024
     where state_id = $1 and total = (select max(total) from __portal_sync__.trail where state_id = $1)`,
    [stateId],
  );
  await add(id, 'written');
  expect((await read(id)).map(([event]) => event)).toEqual(['written', 'written']);
});

test('takes less than 25 bytes of disk for each record of full pages', async () => {
  const [pages, records] = [100, 1000];
  await pool.query('truncate __portal_sync__.trail');
  for (let page = 0; page < pages; page += 1) {
    const keys = Array.from({ length: records }, () => ({ table: 'farmer', id: randomUUID() }));
    const events = keys.map((key) => ({ key, event: 'sent' as const }));
    await addToTrail(pool, stateId, { version: '9007199254740990', events });
  }
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('__portal_sync__.trail')::float8 as bytes`,
  );
  expect((rows[0]?.bytes ?? 0) / pages / records).toBeLessThan(25);
});

describe('pages of one record', () => {
  /** All at one time, because they are in one transaction. */
  const inOneMoment = <T>(work: (db: Db) => Promise<T>) => inTransaction(pool, work);
  const addOne = (db: Db, id: string, event: TrailEvent, version = '7') =>
    addToTrail(db, stateId, { version, events: [{ key: { table: 'visit', id }, event }] });
  const countRows = async (db: Db) =>
    (await db.query('select count(*)::int as rows from __portal_sync__.trail where state_id = $1', [stateId])).rows[0]
      .rows;
  beforeEach(async () => {
    await pool.query('truncate __portal_sync__.trail');
  });

  test('share rows of sixteen, in each direction its own', () =>
    inOneMoment(async (db) => {
      for (let at = 0; at < 32; at += 1) {
        await addOne(db, randomUUID(), 'sent');
        await addOne(db, randomUUID(), 'written');
      }
      expect(await countRows(db)).toBe(4);
    }));

  test('keep the order of what happened to one record', () =>
    inOneMoment(async (db) => {
      const id = randomUUID();
      const events = ['sent', 'written', 'sent', 'sent', 'merged', 'written'] as const;
      for (const event of events) {
        await addOne(db, randomUUID(), 'sent');
        await addOne(db, id, event);
        await addOne(db, randomUUID(), 'written');
      }
      const trail = (await readTrail(db, stateId, [{ table: 'visit', id }], 10)).get({ table: 'visit', id }) ?? [];
      expect(trail.toReversed().map(({ event }) => event)).toEqual(events);
    }));

  test('have a time of their own, to the second', () =>
    inOneMoment(async (db) => {
      const [first, second] = [randomUUID(), randomUUID()];
      await addOne(db, first, 'sent', '7');
      await db.query(`update __portal_sync__.trail set at = at - interval '3 seconds'`);
      await addOne(db, second, 'sent', '9');
      expect(await countRows(db)).toBe(1);
      const keys = [first, second].map((id) => ({ table: 'visit', id }));
      const trail = await readTrail(db, stateId, keys, 10);
      const [before, after] = keys.map((key) => trail.get(key)?.[0]);
      expect(Date.parse(after?.at ?? '') - Date.parse(before?.at ?? '')).toBe(3_000);
      expect(after).toMatchObject({ event: 'sent', version: '9' });
    }));

  test('begin a row of their own after seven seconds', () =>
    inOneMoment(async (db) => {
      await addOne(db, randomUUID(), 'sent');
      await db.query(`update __portal_sync__.trail set at = at - interval '7 seconds'`);
      await addOne(db, randomUUID(), 'sent');
      expect(await countRows(db)).toBe(2);
    }));

  test('do not wait for a row that another transaction has changed', () =>
    inOneMoment(async (db) => {
      await addOne(pool, randomUUID(), 'sent');
      await addOne(db, randomUUID(), 'sent');
      await addOne(pool, randomUUID(), 'sent');
      expect(await countRows(pool)).toBe(2);
    }));
});
