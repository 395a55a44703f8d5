// cspell:ignore wished (a column of an older version)
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { findStateId } from './operations.store.ts';
import { claimRun, deleteRuns } from './runs.store.ts';
import { prepareState } from './schema.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { applicationName: 'portal sync test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
afterEach(() => pool.query('drop schema if exists __portal_sync__ cascade'));

/** Returns every object in the schema, and the content of `run`. */
async function readAll() {
  const { rows } = await pool.query(
    `select relname, relkind::text, (select array_agg(attname::text order by attnum) from pg_attribute where attrelid = c.oid) as columns
     from pg_class c where relnamespace = to_regnamespace('__portal_sync__') order by relname`,
  );
  const { rows: runs } = await pool.query('select * from __portal_sync__.run');
  return { rows, runs };
}

it('rejects a state created by an older version in one sentence, and leaves it unchanged', async () => {
  await pool.query(
    `create schema __portal_sync__;
     create table __portal_sync__.run (no int primary key, app_id text not null, audit_wished_at timestamptz);
     insert into __portal_sync__.run values (1, 'Production/app/1/', null);
     comment on schema __portal_sync__ is 'portal sync state 0123456789abcdef'`,
  );
  const before = await readAll();
  const refused = {
    message:
      'The schema __portal_sync__ in the Helium database was created by another version of the sync service; ' +
      'drop it with DROP SCHEMA __portal_sync__ CASCADE, and each integration reads both sides in full when it is enabled again.',
  };
  await expect(prepareState(pool)).rejects.toMatchObject(refused);
  await expect(findStateId(pool, 'Production/app/1/')).rejects.toMatchObject(refused);
  expect(await readAll()).toEqual(before);
  await pool.query('comment on schema __portal_sync__ is null');
  await expect(prepareState(pool)).rejects.toMatchObject(refused);
});

it('lets several processes prepare one database concurrently', async () => {
  expect(await findStateId(pool, 'one')).toBeNull();
  await Promise.all(Array.from({ length: 4 }, () => prepareState(pool)));
  const { stateId } = await claimRun(pool, 'one', '1', { changeLog: '0', opLog: '0' });
  expect(await findStateId(pool, 'one')).toBe(stateId);
});

it('deletes all stored state of an integration', async () => {
  await prepareState(pool);
  const { stateId } = await claimRun(pool, 'one', '1', { changeLog: '0', opLog: '0' });
  const id = '00000000-0000-4000-8000-000000000001';
  await pool.query(
    `insert into __portal_sync__.record (state_id, table_name, id, journey) values ($1, 'farm', $2, '{"a": 1}')`,
    [stateId, id],
  );
  await pool.query(
    `insert into __portal_sync__.intent (state_id, table_name, id, method, fields, call) values ($1, 'farm', $2, 'patch', '{}', 1)`,
    [stateId, id],
  );
  await pool.query(
    `insert into __portal_sync__.trail (state_id, table_name, entries, total) values ($1, 'farm', '', 0)`,
    [stateId],
  );
  await deleteRuns(pool, 'one');
  const { rows } = await pool.query(
    'select from __portal_sync__.run union all select from __portal_sync__.record union all select from __portal_sync__.intent union all select from __portal_sync__.trail',
  );
  expect(rows).toEqual([]);
});

it('needs no permission to create anything when the schema is complete', async () => {
  await prepareState(pool);
  await pool.query(`drop role if exists portal_reader; create role portal_reader`);
  const client = await pool.connect();
  try {
    await client.query('set role portal_reader');
    await expect(prepareState(client)).resolves.toBeUndefined();
  } finally {
    await client.query('reset role; drop role portal_reader');
    client.release();
  }
});
