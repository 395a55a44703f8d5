import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HeliumDatabase, openHeliumDatabase } from '../database.ts';
import { lockingViewDdl, wasViewRunSql } from '../locking-view.fixture.ts';
import { createCountingDatabase, getQueryText, listStatements, run } from './counting-server.fixture.ts';
import { explainRefusal, explainText, statementRefusal } from './explain-statement.ts';
import { readStatisticsServer } from './statistics-server.ts';

it('refuses to explain on servers older than PostgreSQL 16', () => {
  expect(explainRefusal({ versionNumber: 150_018 })).toBe(
    'Plans require PostgreSQL 16 or later because older servers cannot plan a statement without its values. This server runs version 15.',
  );
  expect(explainRefusal({ versionNumber: 160_000 })).toBeNull();
});

describe.each(findTestVersions().filter(({ major }) => major >= 16))('$name', ({ start }) => {
  let postgres: TestServer;
  let url: string;
  let database: HeliumDatabase;

  beforeAll(async () => {
    postgres = await start();
    url = await createCountingDatabase(
      postgres,
      'explained',
      `create extension pg_stat_statements;
       create schema "Odd ""clinic"; create table "Odd ""clinic".visit (id int primary key, note text);
       create role unprivileged login password 'test'`,
    );
    database = openHeliumDatabase({ name: 'helium-app-1', url });
  });
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  const explain = (text: string, schemaName: string | null = 'Odd "clinic') =>
    explainText(database, { text, schemaName });

  it.each([
    'select * from visit where id = $1 and note like $2',
    'insert into visit values ($1, $2)',
    'update visit set note = $1 where id = $2',
    'delete from visit where id in ($1, $2, $3)',
    'with one as (select $1::int as id) select * from visit join one using (id)',
    'merge into visit v using (select $1::int as id) n on n.id = v.id when matched then delete',
    'table visit',
    'values (1), (2)',
    '/* a comment */ -- and another\n (select note from visit where id = $1)',
    'SELECT count(*) FROM visit -- to the end',
    'select 1 from visit where id = 5;',
  ])('plans %s', async (text) => {
    expect(statementRefusal({ text, hidesLiterals: false })).toBeNull();
    const { plan, reason } = await explain(text);
    expect(reason).toBeNull();
    expect(plan).toContain('cost=');
  });

  it('plans for arbitrary values instead of null', async () => {
    expect((await explain('select * from visit where id = $1')).plan).toContain('Index Cond: (id = $1)');
  });

  it('does not run the statement', async () => {
    await explain(`insert into visit values (1, 'from explain')`);
    await explain('delete from visit');
    const [{ rows } = { rows: -1 }] = await database.query<{ rows: number }>(
      'select count(*)::int as rows from "Odd ""clinic".visit',
    );
    expect(rows).toBe(0);
  });

  it('does not run the views that the statement reads', async () => {
    await run(url, `set search_path = 'Odd "clinic'; ${lockingViewDdl('visit_executor')}`);
    expect((await explain('select * from visit_executor where name = $1')).plan).toContain('visit_executor_function');
    expect(await database.query(wasViewRunSql)).toEqual([{ wasRun: false }]);
  });

  it.each([
    `select 1; create table broken_out (id int)`,
    `select 1; commit; create table broken_out (id int)`,
    `select $1; drop table visit`,
    `select '\\'; create table broken_out (id int); --'`,
    `select $1 where 'a' = '\\'; commit; create table broken_out (id int); --'`,
  ])('rejects %s as more than one statement', async (text) => {
    const { plan, reason } = await explain(text);
    expect(plan).toBeNull();
    expect(reason).toMatch(/^The server cannot plan it: /);
    const [found] = await database.query<{ broken: boolean }>(
      `select to_regclass('broken_out') is not null or to_regclass('"Odd ""clinic".visit') is null as broken`,
    );
    expect(found).toEqual({ broken: false });
  });

  it.each([
    'create table x (id int)',
    'analyze',
    'begin',
    'call x()',
    'explain analyze delete from visit',
    '',
    'selectx',
  ])('has no plan for %s', (text) => {
    expect(statementRefusal({ text, hidesLiterals: false })).toBe(
      'Only SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH, and TABLE statements have a plan.',
    );
  });

  it('explains why a statement has no plan', async () => {
    expect((await explain('select * from nothing')).reason).toContain('relation "nothing" does not exist');
    expect((await explain('select * from visit', null)).reason).toContain('relation "visit" does not exist');
    expect((await explain('select pg_typeof($1), $3')).reason).toContain('could not determine data type');
    const unprivilegedUrl = new URL(url);
    Object.assign(unprivilegedUrl, { username: 'unprivileged', password: 'test' });
    const unprivileged = openHeliumDatabase({ name: 'helium-app-1', url: unprivilegedUrl.href });
    const { plan, reason } = await explainText(unprivileged, {
      text: 'select * from "Odd ""clinic".visit',
      schemaName: null,
    });
    await unprivileged.close();
    expect(plan).toBeNull();
    expect(reason).toContain('permission denied for schema');
  });

  it('does not wait for a locked table', async () => {
    const holder = new pg.Client(url);
    await holder.connect();
    await holder.query('begin; lock table "Odd ""clinic".visit in access exclusive mode');
    const { plan, reason } = await explain('select * from visit where id = $1');
    await holder.end();
    expect(plan).toBeNull();
    expect(reason).toContain('lock timeout');
  });

  it('plans the texts recorded in the statistics unchanged', async () => {
    await run(url, `set search_path = 'Odd "clinic'`, `select * from visit where id in (1, 2) and note = E'it\\'s'`);
    const server = await readStatisticsServer(database);
    const { extension } = server;
    if (!extension) throw new Error('the test database has no extension');
    const [found] = await listStatements({ database, server, extension }, { search: 'select visit id in note' });
    expect((await explain(found ? getQueryText(found) : '')).plan).toContain('Scan');
  });
});
