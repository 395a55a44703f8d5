import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
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
