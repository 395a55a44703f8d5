import { lockingViewDdl, wasViewRunSql } from '@portal/platforms/helium-database/locking-view.fixture';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHeliumFixture, foreignKey, type HeliumFixture } from './helium-gateway.fixture.ts';
import { openHeliumGateway } from './open-helium-gateway.ts';
import { createCatalogReader } from './read-catalog.ts';

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({
    tables: { region: ['name varchar(64)'], shop: ['region_fk uuid', 'owner_fk uuid'] },
    sql: [
      foreignKey('shop', 'region_fk', 'region'),
      foreignKey('shop', 'owner_fk', 'shop', 'cascade'),
      `create table __report__ (_id_ uuid primary key);
      create table quiet (_id_ uuid primary key, _tstamp_ timestamp not null,
        _change_seq_ bigint not null default nextval('__he_sync_change_seq__'));
      ${lockingViewDdl('__shop_view__')}
      create materialized view shop_count as select count(*) as shops from shop;`,
    ].join(''),
  });
});
afterAll(() => fixture.drop());

it('lists tables and views without Helium’s own, and whether they are tracked, without running a view', async () => {
  const { schema, tables } = await fixture.gateway.readCatalog();
  expect(schema).toBe('shop__app_001');
  expect(tables.map(({ name, kind, isTracked }) => [name, kind, isTracked])).toEqual([
    ['__report__', 'table', false],
    ['__shop_view__', 'view', false],
    ['quiet', 'table', false],
    ['region', 'table', true],
    ['shop', 'table', true],
    ['shop_count', 'materialized-view', false],
  ]);
  expect((await fixture.pool.query(wasViewRunSql)).rows).toEqual([{ wasRun: false }]);
});

it('reads the columns with their types, and the foreign keys with their delete rules', async () => {
  const { tables } = await fixture.gateway.readCatalog();
  const columnOf = (table: string, column: string) =>
    tables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column);
  const plain = { isNullable: true, hasDefault: false, references: null, onDelete: null };
  expect(columnOf('region', 'name')).toEqual({ name: 'name', type: 'character varying(64)', ...plain });
  expect(columnOf('region', '_tstamp_')).toMatchObject({ type: 'timestamp without time zone', isNullable: false });
  expect(columnOf('shop', 'region_fk')).toMatchObject({ references: 'region', onDelete: 'set null' });
  expect(columnOf('shop', 'owner_fk')).toMatchObject({ references: 'shop', onDelete: 'cascade' });
});

it('returns no tables for a schema that does not exist', async () => {
  expect((await openHeliumGateway({ pool: fixture.pool, schema: 'gone' }).readCatalog()).tables).toEqual([]);
});

it('returns the same catalog object until something in it changes', async () => {
  const first = await fixture.gateway.readCatalog();
  expect(await fixture.gateway.readCatalog()).toBe(first);
  await fixture.pool.query(`alter table ${fixture.gateway.schema}.region add column code integer`);
  const second = await fixture.gateway.readCatalog();
  expect(second).not.toBe(first);
  expect(second.tables.find(({ name }) => name === 'region')?.columns.map(({ name }) => name)).toContain('code');
  expect(await fixture.gateway.readCatalog()).toBe(second);
});

it('does not examine the tables of other apps', async () => {
  const client = await fixture.pool.connect();
  try {
    await client.query('begin');
    const { tables } = await createCatalogReader(client, 'shop__app_001')();
    expect(tables.length).toBeGreaterThan(0);
    const { rows } = await client.query(
      "select seq_tup_read::int as read from pg_stat_xact_sys_tables where relname = 'pg_class'",
    );
    expect(rows).toEqual([{ read: 0 }]);
    await client.query('rollback');
  } finally {
    client.release();
  }
});
