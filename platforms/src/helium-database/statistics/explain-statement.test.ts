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

describe.each(findTestVersions().filter(({ major }) => major >= 16))('$name', ({ major, start }) => {
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
       create type "Odd ""clinic".mood as enum ('sad');
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

  /** Runs a statement and returns the text that the server recorded for it. */
  const record = async (sql: string, search?: string): Promise<string> => {
    const server = await readStatisticsServer(database);
    const { extension } = server;
    if (!extension) throw new Error('the test database has no extension');
    const list = () => listStatements({ database, server, extension }, { search: search ?? 'visit' });
    const known = new Set((await list()).map(({ id }) => id));
    await run(url, `set search_path = 'Odd "clinic', public; ${sql}`);
    const [found] = (await list()).filter(({ id }) => !known.has(id));
    return found ? getQueryText(found) : '';
  };

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
    'declare visits scroll cursor for select * from visit where id = $1',
    'create table visit_copy as select * from visit where id = $1',
    'create temporary table if not exists visit_copy (id) on commit drop as select id from visit where id = $1',
    '/* v */ CREATE MATERIALIZED VIEW visit_view AS SELECT * FROM visit WITH NO DATA;',
    'create unlogged table "as with as" as(select * from visit)',
  ])('plans %s', async (text) => {
    expect(statementRefusal({ text, hasText: true, hidesLiterals: false })).toBeNull();
    const { plan, reason } = await explain(text);
    expect(reason).toBeNull();
    expect(plan).toContain('cost=');
  });

  it.each([
    `select * from visit where now() - interval '1 day' > timestamp with time zone '2026-01-01 00:00'`,
    `select * from visit where date '2026-01-01' + interval '2' day < timestamp(3) '2026-01-02'`,
    `select * from visit where extract(year from now()) = 2026 and id < numeric(10, 2) '7.25'`,
    `select * from visit where note = text 'é🌾' and "Odd ""clinic".mood 'sad' is not null`,
    `select * from visit where id > double precision '1' and note like pg_catalog.varchar 'a%' limit 5 offset 2`,
  ])('plans a statement with typed constants as it is recorded: %s', async (sql) => {
    const text = await record(sql);
    expect(text).toMatch(/[a-z)] \$\d/);
    const { plan, reason, note } = await explain(text);
    expect(reason).toBeNull();
    expect(note).toBeNull();
    expect(plan).toContain('Scan');
  });

  it('judges a statement after many comments at once', () => {
    const text = `${'/**/'.repeat(1_000)} create table visit_copy (id int)`;
    expect(statementRefusal({ text, hasText: true, hidesLiterals: false })).toMatch(/^Only SELECT/);
  });

  it('does not guess what a parameter stood for where no type is before it', async () => {
    const { plan, reason } = await explain('select id such $1 from visit');
    expect(plan).toBeNull();
    expect(reason).toContain('syntax error at or near "$1"');
  });

  it('plans a cursor and a table that is created from a query as they are recorded', async () => {
    const cursor = await record(
      'begin; declare visits cursor for select * from visit where id = 77; commit',
      'declare',
    );
    const table = await record('create table visit_seen as\n  select * from visit where id = 78', 'visit_seen');
    for (const text of [cursor, table])
      expect(await explain(text)).toMatchObject({ plan: expect.stringContaining('Index Cond: (id = $1)') });
  });

  it('states that the plan of a list of constants is not that of the statement as it ran', async () => {
    const query = 'select note from visit where id in (1, 2, 3, 4) and note = $$x$$';
    for (const text of [
      await record(query),
      await record(`begin; declare listed cursor for ${query}; commit`, 'declare'),
    ]) {
      expect(text).toContain(major < 18 ? '$4' : '/*, ... */');
      const { plan, note } = await explain(text);
      expect(plan).toContain('Scan');
      if (major < 18) expect(note).toBeNull();
      else expect(note).toMatch(/^The server stores only the first constant of a list, shown as \/\*, \.\.\. \*\/\./);
    }
  });

  it.each([
    `select date_trunc('month', note::date), count(*) from visit group by date_trunc('month', note::date)`,
    `select note || 'a', count(*) from visit group by note || 'a'`,
    `select distinct note || 'b' from visit order by note || 'b'`,
  ])('states that the recorded text lost its constants: %s', async (sql) => {
    const { plan, reason } = await explain(await record(sql));
    expect(plan).toBeNull();
    expect(reason).toMatch(/^The stored text lost its constants, so the server cannot plan it: .*must appear/);
    expect(reason).toMatch(/To see its plan, run EXPLAIN with the statement and its values\.$/);
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
    expect(statementRefusal({ text, hasText: true, hidesLiterals: false })).toBe(
      'Only SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH, TABLE, DECLARE, and CREATE TABLE AS statements have a plan.',
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
