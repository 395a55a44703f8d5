import { spawnSync } from 'node:child_process';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHeliumDatabase } from '../database.ts';
import { readCounters } from './counters-snapshot.ts';
import {
  type CountingDatabase,
  type CountingServer,
  createCountingDatabase,
  getDatabaseUrl,
  getQueryText,
  listStatements,
  openCountingDatabase,
  roles,
  run,
  startCountingServer,
} from './counting-server.fixture.ts';
import { counterNames } from './statement-columns.ts';
import { readStatementText } from './statement-text.ts';
import { readAllNumbers, readTexts, type StatementsRequest, type StatementTextAt } from './statements.ts';
import { readStatisticsServer } from './statistics-server.ts';

const rule = { role: roles.app, schemaName: 'clinic_001' };

describe.each(findTestVersions())('$name', ({ major, startExclusive }) => {
  let postgres: TestServer;
  let url: string;
  let counted: CountingDatabase;
  let stop: CountingServer['stop'];

  beforeAll(async () => {
    ({ postgres, url, counted, stop } = await startCountingServer(startExclusive, {
      settings: { track_io_timing: 'on', 'pg_stat_statements.track_planning': 'on' },
      sql: `create schema clinic_001 authorization clinic_001; create schema clinic_0010 authorization farm_001;
       grant usage on schema clinic_001 to farm_001`,
    }));
    await run(
      getDatabaseUrl(url, { user: roles.app }),
      'create table clinic_001.visit (id int primary key, note text)',
      'grant select on clinic_001.visit to farm_001',
      `insert into clinic_001.visit select at, repeat('é', 40) from generate_series(1, 500) at`,
      'select count(*) from clinic_001.visit where id > 10',
      'select count(*) from clinic_001.visit where id > 20',
      `select '日本', note from clinic_001.visit where note like 'a%' and id = 7`,
    );
    await run(
      getDatabaseUrl(url, { user: roles.other }),
      'create table clinic_0010.harvest (id int)',
      'select id from CLINIC_001.visit where id = 3',
      'select id from "clinic_001".visit where id = 3 and true',
      'select id from clinic_0010.harvest',
      'select id from "clinic_0010".harvest where id = 1',
    );
  });
  afterAll(() => stop());

  const read = async (wanted?: StatementsRequest) => {
    const statements = await listStatements(counted, wanted);
    return statements.map((statement) => ({ ...statement, query: getQueryText(statement) }));
  };
  const texts = async (wanted?: StatementsRequest) => (await read(wanted)).map(({ query }) => query);

  it('reports its version and the counters it provides', () => {
    const { server, extension } = counted;
    expect(Math.floor(server.versionNumber / 10_000)).toBe(major);
    expect(server).toMatchObject({ isPreloaded: true, canReadAllStatistics: true, user: roles.portal, track: 'all' });
    expect(extension).toMatchObject({ schemaName: 'public', isReadable: true, hasInfo: major >= 14 });
    expect(extension.latestVersion).toBe(extension.version);
  });

  it('returns the same values as psql', async () => {
    const ours = await read({ rule });
    const oldNames = major < 17 ? 'blk' : 'shared_blk';
    // Until version 12, planning and the write-ahead log are not counted.
    const hasPlans = major >= 13;
    const exec = hasPlans ? 'exec_' : '';
    const theirs = await askPsql(
      url,
      `select json_agg(row_to_json(one)) from (
         select query, calls, total_${exec}time as total_time, mean_${exec}time as mean_time,
           min_${exec}time as min_time, max_${exec}time as max_time, stddev_${exec}time as stddev_time, rows,
           ${hasPlans ? 'total_plan_time' : 'null'} as plan_time, ${hasPlans ? 'wal_bytes' : 'null as wal_bytes'},
           shared_blks_hit as pages_hit, ${oldNames}_read_time + ${oldNames}_write_time as io_time
         from pg_stat_statements where userid = 'clinic_001'::regrole
           and dbid = (select oid from pg_database where datname = current_database())) one`,
    );
    const byQuery = new Map(theirs.map((row) => [row.query, row]));
    const ran = ours.filter(({ matched }) => matched === 'role');
    expect(ran).toHaveLength(byQuery.size);
    for (const row of ran) expect(row).toMatchObject(byQuery.get(row.query) ?? { query: 'known to psql' });
    expect(ran.find(({ query }) => query.includes('count(*)'))).toMatchObject({ calls: 2, rows: 2 });
  });

  it('separates the statements of an app from others', async () => {
    const rows = await read({ rule });
    const foreign = rows.filter(({ matched }) => matched === 'schema');
    const ofOthers = foreign.filter(({ ranBy }) => ranBy === roles.other).map(({ query }) => query.toLowerCase());
    expect(ofOthers.sort()).toEqual([
      'select id from "clinic_001".visit where id = $1 and $2',
      'select id from clinic_001.visit where id = $1',
    ]);
    expect(rows.some(({ query }) => query.includes('clinic_0010.'))).toBe(false);
    expect(rows.filter(({ ranBy }) => ranBy === roles.app).every(({ matched }) => matched === 'role')).toBe(true);
    const byNameOnly = await read({ rule: { ...rule, role: null } });
    expect(byNameOnly.every(({ matched }) => matched === 'schema')).toBe(true);
    expect((await read()).every(({ matched }) => matched === null)).toBe(true);
  });

  it('computes shares of the whole scope, regardless of search and limit', async () => {
    const all = await read({ rule });
    expect(all.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    const [first] = await read({ rule });
    expect(first?.share).toBeCloseTo(all.find(({ id }) => id === first?.id)?.share ?? -1, 9);
    const counts = all.filter(({ query, calls }) => /count.*visit/i.test(query) && calls >= 2);
    expect(await read({ rule, search: 'COUNT visit', minCalls: 2 })).toMatchObject(
      counts.map(({ id, share }) => ({ id, share: expect.closeTo(share, 9) })),
    );
    expect(counts).toHaveLength(1);
  });

  it('sorts by total time, slowest first', async () => {
    const times = (await read({ rule })).map(({ total_time }) => total_time);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  });

  it.each(["'; drop table clinic_001.visit; --", '100%', '_', '\\', '.*', '[a', '(', '$1x', '%%'])(
    'searches for %s literally',
    async (search) => {
      const found = await texts({ rule, search });
      const words = search.toLowerCase().split(' ');
      const all = await read({ rule });
      const matching = all.filter(({ ranBy, query }) =>
        words.every((word) => ranBy?.toLowerCase() === word || query.toLowerCase().includes(word)),
      );
      expect(found.sort()).toEqual(matching.map(({ query }) => query).sort());
    },
  );

  it('finds statements by the role that ran them, also together with words of their texts', async () => {
    const all = await read({ rule });
    const found = await read({ rule, search: roles.other.toUpperCase() });
    const isExpected = ({ ranBy, query }: (typeof all)[number]) => ranBy === roles.other || query.includes(roles.other);
    expect(found.map(({ id }) => id).sort()).toEqual(
      all
        .filter(isExpected)
        .map(({ id }) => id)
        .sort(),
    );
    expect(found.filter(({ ranBy, query }) => ranBy === roles.other && !query.includes(roles.other))).not.toEqual([]);
    const both = await read({ rule, search: `${roles.other} "clinic_001"` });
    expect(both).toEqual([expect.objectContaining({ ranBy: roles.other })]);
    expect(await read({ rule, search: `${roles.other}select` })).toEqual([]);
    const byPart = await read({ rule, search: roles.other.slice(0, -1) });
    expect(byPart.filter(({ query }) => !query.includes(roles.other.slice(0, -1)))).toEqual([]);
  });

  it('cuts texts by characters, reports their length, and searches their full text', async () => {
    const [cut] = await read({ rule, search: 'LIKE clinic_001.visit note', textLimit: 20 });
    const whole = (await texts({ rule })).find((query) => query.includes('like')) ?? '';
    expect(cut).toMatchObject({ query: whole.slice(0, 20), queryLength: [...whole].length });
    await run(url, 'create schema "🌾🌾🌾 longer than twenty"');
    const [schema] = await read({ search: 'schema 🌾', textLimit: 26 });
    expect([...(schema?.query ?? '')]).toHaveLength(26);
    const [uncut] = await read({ search: 'schema 🌾' });
    expect(uncut?.queryLength).toBeNull();
    expect(schema?.queryLength).toBe([...(uncut?.query ?? '')].length);
    const [justWhole] = await read({ search: 'schema 🌾', textLimit: schema?.queryLength ?? 0 });
    expect(justWhole).toMatchObject({ query: uncut?.query, queryLength: null });
  });

  it('hides the portal’s own statements', async () => {
    await counted.database.query('select 1 as asked_by_the_portal');
    await counted.database.transaction({ readOnly: true }, (transaction) =>
      transaction.query('select 2, 3 as asked_by_the_portal;'),
    );
    expect((await read()).filter(({ ranBy }) => ranBy === roles.portal)).toEqual([]);
    const own = (await read({ withOwn: true })).filter(({ ranBy }) => ranBy === roles.portal);
    expect(own.filter(({ query }) => !query.includes(portalMark))).toEqual([]);
    expect(own.filter(({ query }) => query.includes('asked_by_the_portal'))).toHaveLength(2);
  });

  it('finds a text by its statement id, only for its own app', async () => {
    const [row] = await read({ rule, search: 'count' });
    const { database, extension } = counted;
    const id = row?.id ?? '';
    expect(await readStatementText(database, extension, id, [rule])).toEqual({
      query: row?.query,
      hasText: true,
      hidesLiterals: false,
      ranBy: roles.app,
    });
    const other = { role: roles.other, schemaName: 'clinic_0010' };
    await expect(readStatementText(database, extension, id, [other])).rejects.toMatchObject({ status: 404 });
    await expect(readStatementText(database, extension, "1' or true --", null)).rejects.toMatchObject({ status: 404 });
  });

  it('returns the same counters without texts', async () => {
    const { database, server, extension } = counted;
    const { ids, counters } = await readCounters(database, server, extension);
    expect(counters.every((column) => column.length === ids.length)).toBe(true);
    for (const row of await read({ rule })) {
      const at = ids.indexOf(row.id);
      expect(counterNames.map((_, index) => counters[index]?.[at])).toEqual(counterNames.map((name) => row[name]));
    }
  });

  it('marks the statements that match the search when all numbers are requested', async () => {
    const { database, server, extension } = counted;
    const all = await readAllNumbers(database, server, extension, { rule, search: 'count' });
    const expected = await read({ rule });
    expect(all.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
    for (const { isFound, counted_since, id } of all) {
      expect(isFound).toBe(expected.find((one) => one.id === id)?.query.includes('count'));
      expect(counted_since === null).toBe(major < 17);
    }
  });

  it('reads texts in the order of their ids and leaves out statements that are gone', async () => {
    const { database, extension } = counted;
    const [first, second] = await read({ rule });
    const ids = [second?.id ?? '', 'gone', first?.id ?? ''];
    const texts: StatementTextAt[] = [];
    for (const textLimit of [undefined, 10])
      await readTexts(database, extension, { ids, textLimit }, (batch) => {
        texts.push(...batch);
      });
    expect(texts.map(({ at, queryJson }) => ({ at, query: JSON.parse(queryJson) }))).toEqual([
      { at: 0, query: second?.query },
      { at: 2, query: first?.query },
      { at: 0, query: second?.query.slice(0, 10) },
      { at: 2, query: first?.query.slice(0, 10) },
    ]);
  });

  it('shows a user without the privilege only its own statements', async () => {
    await run(getDatabaseUrl(url, { user: roles.blind }), 'select 5 as seen_by_myself, now()');
    const blind = await openCountingDatabase(url, roles.blind);
    const rows = await listStatements(blind, { withOwn: true });
    await blind.database.close();
    expect(blind.server.canReadAllStatistics).toBe(false);
    expect(rows.every(({ ranBy, queryJson }) => ranBy === roles.blind && !queryJson.includes('insufficient'))).toBe(
      true,
    );
    expect(rows.some(({ queryJson }) => queryJson.includes('seen_by_myself'))).toBe(true);
  });

  it.each(['1.4', major < 13 ? '1.6' : '1.8'])(
    'reads version %s of the extension in a schema with an unusual name',
    async (version) => {
      const schema = pg.escapeIdentifier(`odd "${version}" schema`);
      const old = await createCountingDatabase(
        postgres,
        `old ${version}`,
        `create schema ${schema}; create extension pg_stat_statements schema ${schema} version '${version}';
       grant usage on schema ${schema} to ${pg.escapeIdentifier(roles.portal)}`,
      );
      await run(old, 'create table item (id int)', 'select count(*) from item');
      const counting = await openCountingDatabase(old);
      const { database, extension } = counting;
      const rows = await listStatements(counting, { search: 'count item' });
      await database.close();
      expect(extension).toMatchObject({ version, hasInfo: false, schemaName: `odd "${version}" schema` });
      const hasPlans = version === '1.8';
      const row = {
        calls: 1,
        rows: 1,
        plan_time: hasPlans ? expect.any(Number) : null,
        wal_bytes: hasPlans ? expect.any(Number) : null,
      };
      expect(rows).toMatchObject([row]);
      const name = hasPlans ? 'total_exec_time' : 'total_time';
      const theirs = await askPsql(
        old,
        `select json_agg(row_to_json(one)) from (select ${name} as total_time from ${schema}.pg_stat_statements
       where query like 'select count%item' and dbid = (select oid from pg_database where datname = current_database())) one`,
      );
      expect(rows[0]?.total_time).toBe(theirs[0]?.total_time);
    },
  );

  it('throws Unreachable when the query takes too long', async () => {
    const holder = new pg.Client(url);
    await holder.connect();
    await holder.query('begin; lock table pg_extension in access exclusive mode');
    const hurried = openHeliumDatabase({
      name: 'helium-app-1',
      url: getDatabaseUrl(url, { user: roles.portal }),
      statementTimeoutMs: 20,
    });
    await expect(readStatisticsServer(hurried)).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
    await holder.end();
    await hurried.close();
  });

  it('detects a missing extension and one in a schema the user cannot use', async () => {
    const without = openWithout(await createCountingDatabase(postgres, 'without', 'select'));
    expect(await readStatisticsServer(without)).toMatchObject({ extension: null, isPreloaded: true });
    await without.close();
    const closed = await createCountingDatabase(
      postgres,
      'closed',
      'create schema inner_room; create extension pg_stat_statements schema inner_room',
    );
    const { extension, database } = await openCountingDatabase(closed);
    await database.close();
    expect(extension).toMatchObject({ schemaName: 'inner_room', isReadable: false });
  });
});

function openWithout(url: string) {
  return openHeliumDatabase({ name: 'without', url: getDatabaseUrl(url, { user: roles.portal }) });
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Runs a query that returns JSON with the system's psql, or with a plain connection where psql is
 * missing. Numbers have all of their digits, also from PostgreSQL 11.
 */
async function askPsql(url: string, question: string): Promise<Row[]> {
  const options = '-c extra_float_digits=3';
  const env = { ...process.env, PGOPTIONS: options };
  const { stdout, error, stderr } = spawnSync('psql', [url, '-XAtc', question], { encoding: 'utf8', env });
  if (stderr) throw new Error(stderr);
  if (!error) return JSON.parse(stdout);
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  const { rows } = await client.query<{ json_agg: Row[] }>(question);
  await client.end();
  return rows[0]?.json_agg ?? [];
}
