import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRows, readAppObjects } from './app-objects.ts';
import { type HeliumDatabase, openHeliumDatabase } from './database.ts';

let test: TestDatabase;
let database: HeliumDatabase;
let client: pg.Client;
const schemaName = 'Odd "clinic"';

beforeAll(async () => {
  test = await createTestDatabase();
  database = openHeliumDatabase({ name: 'here', url: test.url });
  client = new pg.Client(test.url);
  await client.connect();
  await client.query(`
    create schema "Odd ""clinic""";
    set search_path = "Odd ""clinic""";
    create table visit (id int);
    insert into visit select generate_series(1, 30);
    create table "Odd ""one"" $1" ();
    create table __he_data_version__ ();
    create table __he_sync_obj_change__ ();
    create table __scheduled_function_result__ ();
    create table __logging_log__ ();
    create table __sms_result__ ();
    create table __identity_invite_user__ ();
    create table __notification_email_attachment__ ();
    create table __payment__ ();
    create table __payment_status__ ();
    create table __report__ ();
    create table __message_log__ ();
    create view __list00view__ as select 1;
    create table __half ();
    create table parted (at int) partition by range (at);
    create table parted_1 partition of parted for values from (0) to (10);
    insert into parted values (1), (2);
    create view open_visit as select * from visit where id > 20;
    create materialized view summary as select 1;
    create materialized view empty as select 1 with no data;
    create sequence no_object;`);
});
afterAll(async () => {
  await client.end();
  await database.close();
  await test.drop();
});

const count = (name: string, timeoutMs = 10_000) => countRows(database, { schemaName, name, kind: 'table' }, timeoutMs);

describe('app objects', () => {
  it('lists the tables and views of a schema, without Helium’s own tables and partitions', async () => {
    expect(await readAppObjects(database, schemaName)).toEqual([
      { name: 'Odd "one" $1', kind: 'table' },
      { name: '__half', kind: 'table' },
      { name: '__list00view__', kind: 'view' },
      { name: '__message_log__', kind: 'table' },
      { name: '__report__', kind: 'table' },
      { name: 'empty', kind: 'materialized view' },
      { name: 'open_visit', kind: 'view' },
      { name: 'parted', kind: 'table' },
      { name: 'summary', kind: 'materialized view' },
      { name: 'visit', kind: 'table' },
    ]);
    expect(await readAppObjects(database, 'nowhere')).toEqual([]);
  });

  it('counts the rows of an object exactly', async () => {
    expect(await count('visit')).toBe(30);
    expect(await count('parted')).toBe(2);
    expect(await count('Odd "one" $1')).toBe(0);
    expect(await count('summary')).toBe(1);
  });

  it('returns null when counting takes too long or is not possible', async () => {
    expect(await count('empty')).toBeNull();
    expect(await count('gone')).toBeNull();
    await client.query('begin; lock table visit');
    expect(await count('visit', 50)).toBeNull();
    await client.query('rollback');
    expect(await count('visit')).toBe(30);
  });

  it('throws Unreachable when the data source is unavailable', async () => {
    const away = openHeliumDatabase({ name: 'away', url: 'postgres://portal@127.0.0.1:1/away' });
    await expect(countRows(away, { schemaName, name: 'visit', kind: 'table' }, 50)).rejects.toThrow(Unreachable);
    await away.close();
  });
});
