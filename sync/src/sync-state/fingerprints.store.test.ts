import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId, schema } from '../helium/helium-gateway.fixture.ts';
import { changeLog } from '../helium/sql-names.ts';
import { markDirty } from './dirty-records.store.ts';
import { type AppFingerprint, readFingerprints } from './fingerprints.store.ts';
import { saveHeliumIdentity } from './helium-proof.store.ts';
import { claimRun, saveRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let fixture: HeliumFixture;
let client: pg.PoolClient;
let stateId: number;

const beginning = { changeLog: '0', opLog: '0' };

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { region: ['name text'], shop: ['name text'] } });
  await prepareState(fixture.pool);
  client = await fixture.pool.connect();
  ({ stateId } = await claimRun(fixture.pool, 'app', '1', beginning));
  await saveHeliumIdentity(client, { stateId, schema, fence: '1' }, { tables: ['region'], learns: 'all' });
});
afterAll(async () => {
  client.release();
  await fixture.drop();
});
beforeEach(() => insert());

const insert = () => client.query(`insert into ${schema}.region (_id_, _tstamp_) values ($1, now())`, [newId()]);

async function read(): Promise<AppFingerprint | undefined> {
  await client.query('select pg_stat_force_next_flush()');
  return (await readFingerprints(client, [{ stateId, schema }]))[0];
}

it('stay the same while rows of the tables change, which the change log shows', async () => {
  const before = await read();
  await insert();
  await client.query(`update ${schema}.region set name = 'new'`);
  await client.query(`delete from ${schema}.shop`);
  expect(await read()).toEqual(before);
});

it.each<[string, 'catalog' | 'state', () => Promise<unknown>]>([
  ['a new column', 'catalog', () => client.query(`alter table ${schema}.shop add column code text`)],
  ['a truncated table', 'state', () => client.query(`truncate ${schema}.region`)],
  ['an entry that the change log has lost', 'state', () => client.query(`delete from ${schema}.${changeLog}`)],
  ['a truncated change log', 'state', () => client.query(`truncate ${schema}.${changeLog}`)],
  ['a stored state that moved', 'state', () => saveRun(client, stateId, { changeLogCursor: '1' })],
  ['a record to send again', 'state', () => markDirty(client, stateId, [{ table: 'region', id: newId() }])],
])('show %s', async (_, part, change) => {
  const before = await read();
  await change();
  const now = await read();
  expect(now?.[part]).not.toBe(before?.[part]);
});

it('show that a table was replaced by one that looks the same', async () => {
  const before = await read();
  const fixed = `${schema}.region`;
  await client.query(`begin; create table ${schema}.copy (like ${fixed} including all);
    drop table ${fixed}; alter table ${schema}.copy rename to region; commit`);
  const now = await read();
  expect(now?.catalog).not.toBe(before?.catalog);
  expect(now?.state).not.toBe(before?.state);
});

it('are read in the order of the apps, also of one without state or schema', async () => {
  const apps = [
    { stateId, schema },
    { stateId: 0, schema: 'gone' },
  ];
  const both = await readFingerprints(client, apps);
  expect(both[0]).toEqual(await read());
  expect(await readFingerprints(client, [...apps].reverse())).toEqual([...both].reverse());
});

it('are read without waiting for locked tables, and without examining the tables of other apps', async () => {
  const holder = await fixture.pool.connect();
  await holder.query(`begin; lock table ${schema}.region, ${schema}.${changeLog} in access exclusive mode`);
  await client.query('begin; set local lock_timeout = 1');
  expect(await readFingerprints(client, [{ stateId, schema }])).toHaveLength(1);
  const { rows } = await client.query(
    "select seq_tup_read::int as read from pg_stat_xact_sys_tables where relname = 'pg_class'",
  );
  expect(rows).toEqual([{ read: 0 }]);
  await client.query('rollback');
  await holder.query('rollback');
  holder.release();
});
