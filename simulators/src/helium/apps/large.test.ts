import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAppSchema } from '../../journey/demo/app-schema.ts';
import { parseSchema } from '../../journey/schema-xml.ts';
import { extensionsDdl, schemaDdl, viewsDdl } from '../schema-ddl.ts';
import { seedSql } from '../seed-rows.ts';
import { createLargeApp } from './large.ts';

const schema = 'national_programme_001';
const app = createLargeApp(4);

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(`${database.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`);
  await client.connect();
  await client.query(
    `${extensionsDdl(app)} create schema ${schema}; ${schemaDdl(app, schema, seedSql(app, 1))} ${viewsDdl(app)}`,
  );
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function count(text: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${text}`);
  return rows[0]?.count ?? 0;
}

const isIn = (column: string, name: string) => `${column} = '${name}'::regnamespace`;
const inSchema = (column: string) => isIn(column, schema);

describe('the large app', () => {
  test('has the size of a real one', async () => {
    expect({
      tables: await count(`pg_class where relkind = 'r' and ${inSchema('relnamespace')}`),
      views: await count(`pg_class where relkind = 'v' and ${inSchema('relnamespace')}`),
      functions: await count(`pg_proc where ${inSchema('pronamespace')}`),
      references: await count(`pg_constraint where contype = 'f' and ${inSchema('connamespace')}`),
      tracked: await count(`pg_trigger where tgname = '__he_sync_obj_insert_after__'`),
      withIdleTracking: await count(
        `pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
         where attname = '_change_seq_' and not exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal)`,
      ),
      executors: await count(`pg_views where viewname like '%\\_executor'`),
      unique: await count(`pg_constraint where contype = 'u' and conname ~ '_fk_key$' and ${inSchema('connamespace')}`),
    }).toEqual({
      tables: 166,
      views: 67,
      functions: 58,
      references: 242,
      tracked: 54,
      withIdleTracking: 20,
      executors: 30,
      unique: 8,
    });
  });

  test.each([
    ['facility01', 'name', 'text not null'],
    ['facility01', 'state', 'character varying(64)'],
    ['facility01', 'value', 'numeric'],
    ['facility01', 'timestamp', 'timestamp without time zone'],
    ['upload01', 'content', 'bytea'],
    ['upload01', 'content_fname__', 'character varying(255)'],
    ['upload01', 'content_mtype__', 'character varying(255)'],
    ['upload01', 'content_size__', 'integer'],
    ['__he_data_version__', 'id', 'integer not null'],
    ['__he_data_version__', 'migration_tstamp', 'timestamp with time zone not null'],
    ['__identity_invite_user__', 'userreference', 'uuid'],
    ['__identity_remove_role__', 'userreferenceid', 'uuid'],
    ['__payment__', 'amount', 'integer'],
    ['__sms_result__', 'doneprocessing', 'boolean'],
    ['__he_sync_client_request_log__', 'tx_tstamp', 'timestamp with time zone not null'],
    ['__he_sync_client_request_log__', 'request_bookmark_id', 'bigint'],
    ['__he_sync_transaction_log__', 'seq_before', 'bigint not null'],
    ['__he_sync_many_to_many_unlink__', 'tx_id', 'bigint not null'],
  ])('has Helium’s own type in %s.%s: %s', async (table, column, type) => {
    const { rows } = await client.query<{ type: string }>(
      `select format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end as type
       from pg_attribute where attrelid = $1::regclass and attname = $2`,
      [table, column],
    );
    expect(rows).toEqual([{ type }]);
  });

  test('has no index but those of keys, one-to-one references and transactions', async () => {
    const { rows } = await client.query<{ columns: string }>(
      `select distinct substring(indexdef from '\\((.*)\\)$') as columns from pg_indexes
       where schemaname = $1 and not (indexdef like 'CREATE UNIQUE%' and indexdef like '%\\_fk)') order by 1`,
      [schema],
    );
    expect(new Set(rows.map(({ columns }) => columns))).toEqual(
      new Set(['_id_', '_tx_id_', 'client_id', 'id', 'seq', 'tx_id', 'tx_id, seq']),
    );
  });

  test('has tables with many references, and names that PostgreSQL cuts', async () => {
    const { rows } = await client.query<{ references: number }>(
      `select count(*)::int as references from pg_constraint where contype = 'f' and ${inSchema('connamespace')}
       group by conrelid order by 1 desc limit 1`,
    );
    expect(rows).toEqual([{ references: 19 }]);
    expect(await count(`pg_constraint where conname ~ '_fkey[0-9]+$' and length(conname) = 63`)).toBe(18);
  });

  test('refuses a second reference of a one-to-one relation, by the name of its constraint', async () => {
    const { rows } = await client.query<{ column: string }>(
      `select attname as column from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
       where conrelid = 'facility01'::regclass and contype = 'u'`,
    );
    const column = rows[0]?.column ?? '';
    const second = `insert into facility01 (_id_, _tstamp_, name, code, deleted, ${column})
      select gen_random_uuid(), _tstamp_, name, code, deleted, ${column} from facility01 limit 1`;
    await expect(client.query(second)).rejects.toMatchObject({ code: '23505', constraint: `facility01_${column}_key` });
  });

  test('has defaults and functions that use an extension in the schema public', async () => {
    const generated = `column_default = 'public.uuid_generate_v4()' and table_schema = '${schema}'`;
    expect(await count(`pg_extension where extname = 'uuid-ossp' and ${isIn('extnamespace', 'public')}`)).toBe(1);
    expect(await count(`information_schema.columns where ${generated} and column_name = 'barcode'`)).toBe(1);
    expect(await count(`information_schema.columns where ${generated} and column_name = '_id_'`)).toBe(26);
    expect(await count(`information_schema.routines where routine_definition like '%public.uuid_generate_v4()%'`)).toBe(
      30,
    );
    await client.query(`insert into upload01 (_tstamp_, line) values (now(), 'added')`);
    expect(await count(`upload01 where line = 'added' and _id_::text ~ '^.{14}4.{4}[89ab]'`)).toBe(1);
  });

  test('has role tables and plain ones with tracking columns that no trigger fills, and others without', async () => {
    const hasColumns = `exists (select from pg_attribute where attrelid = c.oid and attname = '_change_seq_')`;
    const of = (names: string, condition: string) =>
      count(`pg_class c where relkind = 'r' and ${inSchema('relnamespace')} and relname ~ '${names}' and ${condition}`);
    expect(await of('^fieldofficer', hasColumns)).toBe(16);
    expect(await of('^fieldofficer', `not ${hasColumns}`)).toBe(4);
    expect(await of('^upload', hasColumns)).toBe(4);
  });

  test('has tables with names like Helium’s own and like views', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and ${inSchema('relnamespace')}
       and relname ~ '^__messagelog__$|_executor$|_materializedview$' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual([
      '__messagelog__',
      'stockbalance_materializedview',
      'territory_executor',
    ]);
  });

  test('empties its reports by TRUNCATE, and others by DELETE', async () => {
    const routines = `pg_proc where ${inSchema('pronamespace')} and proname like 'fill_%' and prosrc`;
    expect(await count(`${routines} like '%truncate %'`)).toBe(20);
    expect(await count(`${routines} like '%delete from %'`)).toBe(10);
  });

  test('fills a report when its view is read, and one view renames rows of a tracked table', async () => {
    await client.query('begin');
    await client.query('select * from stockreport30_executor');
    expect(await count('stockreport30')).toBeGreaterThan(0);
    expect(await count(`order30 where name like '%*'`)).toBe(4);
    await client.query('rollback');
  });

  test('forgets the requests of a client with the client', async () => {
    const clientId = '00000000-0000-4000-8000-000000000001';
    await client.query(`insert into __he_sync_client__ (client_id, entity) values ($1, '{}')`, [clientId]);
    const request = 'insert into __he_sync_client_request_log__ (tx_id, tx_tstamp, client_id) values (1, now(), $1)';
    await client.query(request, [clientId]);
    await client.query('delete from __he_sync_client__ where client_id = $1', [clientId]);
    expect(await count('__he_sync_client_request_log__')).toBe(0);
  });

  test('has a data model that Journey accepts', () => {
    const { models, warnings } = parseSchema(createAppSchema(app.objects));
    expect(models.size).toBe(54);
    expect(warnings).toEqual([]);
  });
});
