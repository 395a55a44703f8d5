import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { explainUnusableAddress } from './address-problem.ts';
import { cancelStatement } from './cancel-statement.ts';
import { toClientConfig } from './database-address.ts';
import { namedQuery } from './named-query.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer, startSessionPgbouncer } from './pgbouncer.fixture.ts';
import { createPool, inTransaction, isOutage, isTemporary, type Pool, type PoolOptions, withClient } from './pool.ts';
import { findPooledProblems } from './pooled-setting.ts';
import { isOwnSession, readKey } from './session.ts';
import { getTestPostgresUrl } from './test-database.ts';
import { findTestVersions } from './test-versions.ts';

describe.skipIf(!hasPgbouncer)('a pool behind pgbouncer', () => {
  let pgbouncer: Pgbouncer;
  let pool: Pool;

  const open = (options: Partial<PoolOptions> = {}) =>
    createPool(pgbouncer.toPooled(getTestPostgresUrl()), { applicationName: 'pooled', max: 1, ...options });

  beforeAll(async () => {
    pgbouncer = await startPgbouncer(getTestPostgresUrl());
  });
  afterAll(() => pgbouncer.stop());
  beforeEach(() => {
    pool = open({ statementTimeoutMs: 10_000, lockTimeoutMs: 500, idleInTransactionMs: 20_000, unresponsiveMs: 3_000 });
    return () => pool.end();
  });

  const limits = {
    statement: '10s',
    lock: '500ms',
    idle: '20s',
  };
  const limitsSql = `select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`;

  it('has its limits on the server, for every kind of statement', async () => {
    const withValues = await pool.query(`${limitsSql} where $1`, [true]);
    const inOne = await inTransaction(pool, async (client) => [
      (await client.query(limitsSql)).rows,
      (await client.query(`${limitsSql} where $1`, [true])).rows,
    ]);
    expect([(await pool.query(limitsSql)).rows, withValues.rows, ...inOne]).toEqual(Array(4).fill([limits]));
  });

  it('has statements canceled by the server that take too long', async () => {
    const hurried = open({ statementTimeoutMs: 500, graceMs: 60_000 });
    const canceled = { code: '57014', message: 'canceling statement due to statement timeout' };
    await expect(hurried.query('select pg_sleep(60)')).rejects.toMatchObject(canceled);
    await expect(hurried.query('select pg_sleep($1)', [60])).rejects.toMatchObject(canceled);
    const inside = inTransaction(hurried, (client) => client.query('select pg_sleep($1)', [60]));
    await expect(inside).rejects.toMatchObject(canceled);
    expect((await hurried.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await hurried.end();
  });

  it('leaves the sessions of strangers as they were', async () => {
    const settingsSql = `select name, setting from pg_settings where source in ('session', 'client')
      or name in ('statement_timeout', 'extra_float_digits', 'idle_in_transaction_session_timeout', 'tcp_keepalives_idle')
      order by name`;
    const stranger = { connectionString: pgbouncer.toPooled(getTestPostgresUrl()), application_name: 'stranger' };
    await withClient(stranger, async (client) => {
      const readSession = async () =>
        (await client.query(`select pg_backend_pid() as pid, (select json_agg(s) from (${settingsSql}) s) as settings`))
          .rows;
      const before = await readSession();
      await pool.query(namedQuery('portal-test-one', 'select $1::int', [1]));
      await pool.query('select 1');
      await inTransaction(pool, (db) => db.query(`select set_config('application_name', 'one run', true)`));
      // The process id is the same, so it is the session that the pool used in between.
      expect(await readSession()).toEqual(before);
    });
  });

  it('returns the results of its callers only', async () => {
    const table = `word_${randomBytes(4).toString('hex')}`;
    expect(await pool.query(`create table ${table} (word text)`)).toMatchObject({ command: 'CREATE', rowCount: null });
    expect(await pool.query(`insert into ${table} values ($1), ('b')`, ['a'])).toMatchObject({
      command: 'INSERT',
      rowCount: 2,
    });
    expect(await pool.query({ text: `select word from ${table} order by 1`, rowMode: 'array' })).toMatchObject({
      rows: [['a'], ['b']],
    });
    expect(await pool.query(`select 1 as one; select 2 as two`)).toMatchObject([
      { rows: [{ one: 1 }] },
      { rows: [{ two: 2 }] },
    ]);
    await expect(pool.query('select wrong')).rejects.toMatchObject({ code: '42703' });
    await expect(pool.query('select $1::int', ['wrong'])).rejects.toMatchObject({ code: '22P02' });
    expect(await pool.query(`drop table ${table}`)).toMatchObject({ command: 'DROP' });
  });

  it('begins transactions of every kind', async () => {
    const client = await pool.connect();
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query(
      `select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as mode`,
    );
    await client.query('rollback');
    client.release();
    expect(rows).toEqual([{ isolation: 'repeatable read', mode: 'on' }]);
  });

  it('sends named queries without their names, whichever session they reach', async () => {
    const wide = open({ max: 4 });
    const query = namedQuery('portal-test-sleep', 'select $1::int as value, pg_sleep(0.01)', [1]);
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 4 }, () => wide.query(query)));
    const { rows } = await wide.query('select name from pg_prepared_statements');
    expect(rows).toEqual([]);
    await wide.end();
  });

  it('appends its comment to every statement', async () => {
    const commented = open({ statementTimeoutMs: 10_000, comment: '/* appended */' });
    expect(await readSentStatements(commented)).toEqual(commentedStatements);
    await commented.end();
  });

  it('reports a parameter of the address that the pooler refuses', async () => {
    const url = `${pgbouncer.toPooled(getTestPostgresUrl())}?statement_timeout=5000`;
    const refused = createPool(url, { applicationName: 'pooled' });
    const error = await refused.query('select 1').catch((problem: unknown) => problem);
    expect(explainUnusableAddress(error)).toBe(
      'is behind a pooler that refuses the parameter statement_timeout; remove it from the address of the database',
    );
    expect([isOutage(error), isTemporary(error)]).toEqual([false, false]);
    await refused.end();
  });

  it('treats a server that the pooler cannot use as an outage', async () => {
    const wrongPassword = Object.assign(new URL(getTestPostgresUrl()), { password: 'wrong' }).href;
    const wrong = await startPgbouncer(wrongPassword);
    const failing = createPool(wrong.toPooled(wrongPassword), { applicationName: 'pooled' });
    const error = await failing.query('select 1').catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code: '08P01', severity: 'FATAL' });
    expect(isOutage(error)).toBe(true);
    await failing.end();
    await wrong.stop();
  });

  it('has a running statement canceled at the server', async () => {
    const url = pgbouncer.toPooled(getTestPostgresUrl());
    const client = await pool.connect();
    const key = readKey(client);
    const outcome = client.query(`select pg_sleep(60), 'canceled here'`).catch((problem: unknown) => problem);
    const others = createPool(getTestPostgresUrl(), { applicationName: 'observer', max: 1 });
    const active = `select from pg_stat_activity where state = 'active' and query like '%''canceled here''%' and pid <> pg_backend_pid()`;
    await vi.waitUntil(async () => (await others.query(active)).rowCount === 1, { timeout: 100_000 });
    await cancelStatement(toClientConfig(url), key ?? expect.fail('no key'));
    expect(await outcome).toMatchObject({ code: '57014' });
    client.release();
    await others.end();
  });
});

it('a pool without a pooler has its limits as settings of the session, and uses names', async () => {
  const pool = createPool(getTestPostgresUrl(), { applicationName: 'direct', max: 1, statementTimeoutMs: 10_000 });
  await pool.query(namedQuery('portal-test-direct', 'select $1::int', [1]));
  const { rows } = await pool.query(
    `select setting, source, (select array_agg(name) from pg_prepared_statements) as names
     from pg_settings where name = 'statement_timeout'`,
  );
  expect(rows).toEqual([{ setting: '10000', source: 'session', names: ['portal-test-direct'] }]);
  await pool.end();
});

const ownStatementSql = 'select query from pg_stat_activity where pid = pg_backend_pid()';
const commentedStatements = [
  `${ownStatementSql}\n/* appended */`,
  `${ownStatementSql} and $1 -- all\n/* appended */`,
  `${ownStatementSql} and $1\n/* appended */`,
].map((statement) => expect.stringContaining(statement));

/** Returns what the server shows of a plain statement, one with values, and a named one. */
async function readSentStatements(pool: Pool): Promise<unknown[]> {
  const queries = [
    { text: `${ownStatementSql};` },
    { text: `${ownStatementSql} and $1 -- all`, values: [true] },
    namedQuery('portal-test-sent', `${ownStatementSql} and $1`, [true]),
  ];
  const sent = [];
  for (const query of queries) sent.push((await pool.query<{ query: string }>(query)).rows[0]?.query);
  return sent;
}

it('a pool without a pooler appends its comment to every statement', async () => {
  const pool = createPool(getTestPostgresUrl(), { applicationName: 'direct', max: 1, comment: '/* appended */' });
  expect(await readSentStatements(pool)).toEqual(commentedStatements);
  expect(await readSentStatements(pool)).toEqual(commentedStatements);
  await pool.end();
});

/** Returns how a pool uses the connections of an address. */
async function readUse(address: string) {
  const pool = createPool(address, { applicationName: 'portal test', max: 1, statementTimeoutMs: 10_000 });
  await pool.query(namedQuery('portal-test-used', 'select $1::int', [1]));
  const { rows } = await pool.query(
    `select current_setting('statement_timeout') as timeout, (select array_agg(name) from pg_prepared_statements) as names`,
  );
  const client = await pool.connect();
  const isOwn = await isOwnSession(client, address);
  client.release();
  await pool.end();
  return { ...rows[0], isOwn };
}

const withPooled = (address: string, value: string) => {
  const url = new URL(address);
  url.searchParams.set('pooled', value);
  return url.href;
};
const perTransaction = { timeout: '10s', names: null, isOwn: false };
const perSession = { timeout: '10s', names: ['portal-test-used'], isOwn: true };

it.each([
  ['auto', perSession],
  ['no', perSession],
  ['yes', perTransaction],
])('a pool uses a direct connection as stated by pooled=%s', async (value, expected) => {
  expect(await readUse(withPooled(getTestPostgresUrl(), value))).toEqual(expected);
});

it.skipIf(!hasPgbouncer).each([
  ['auto', perTransaction],
  ['yes', perTransaction],
  ['no', perSession],
])('a pool uses a pooler in session mode as stated by pooled=%s', async (value, expected) => {
  const pgbouncer = await startSessionPgbouncer(getTestPostgresUrl());
  onTestFinished(() => pgbouncer.stop());
  expect(await readUse(withPooled(pgbouncer.toPooled(getTestPostgresUrl()), value))).toEqual(expected);
});

it('reports any other value of pooled in an address', () => {
  const find = (value: string) => findPooledProblems(withPooled('postgres://db/apps', value));
  expect(find('maybe')).toEqual(['pooled=maybe is not one of auto, yes, no']);
  expect(find('')).toEqual(['pooled= is not one of auto, yes, no']);
  expect(['auto', 'yes', 'no'].flatMap(find)).toEqual([]);
  expect(findPooledProblems('postgres://db/apps?sslmode=disable')).toEqual([]);
});

it.each([
  ['is taken', 'prepare "portal-test-taken" as select 1', '42P05', 'portal-test-taken'],
  ['is gone', 'deallocate all', '26000', 'portal-test-gone'],
])(
  'a name that %s in another session switches names off, and the query succeeds when it is repeated',
  async (_, change, code, name) => {
    const warnings: unknown[] = [];
    const logger = { warn: (...line: unknown[]) => warnings.push(line) };
    const pool = createPool(getTestPostgresUrl(), { applicationName: 'direct', max: 1, logger });
    const query = namedQuery(name, 'select $1::int as value', [1]);
    const client = await pool.connect();
    if (code === '26000') await client.query(query);
    await client.query(change);
    const error = await client.query(query).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code });
    expect(isTemporary(error)).toBe(true);
    expect((await client.query(query)).rows).toEqual([{ value: 1 }]);
    client.release();
    expect((await pool.query(query)).rows).toEqual([{ value: 1 }]);
    expect(warnings).toHaveLength(1);
    await pool.end();
  },
);

const unanswerable: pg.QueryConfig & { queryMode: 'extended' } = { text: 'select $1::int', queryMode: 'extended' };

it('a server without a pooler that reports a protocol violation is no outage', async () => {
  const error = await withClient({ connectionString: getTestPostgresUrl() }, (client) =>
    client.query(unanswerable).catch((problem: unknown) => problem),
  );
  expect(error).toMatchObject({ code: '08P01' });
  expect(isOutage(error)).toBe(false);
});

const oldest = findTestVersions().find(({ major }) => major === 11);

describe.skipIf(!oldest)('PostgreSQL 11', () => {
  it.each([['directly', false], ...(hasPgbouncer ? [['through pgbouncer', true] as const] : [])] as const)(
    'returns doubles with all of their digits %s',
    async (_, isPooled) => {
      const server = await oldest?.start();
      if (!server) return;
      const pgbouncer = isPooled ? await startPgbouncer(server.url) : undefined;
      const pool = createPool(pgbouncer?.toPooled(server.url) ?? server.url, { applicationName: 'digits' });
      const third = 0.1 + 0.2;
      const results = [
        await pool.query(`select 0.30000000000000004::float8 as third`),
        await pool.query(`select $1::float8 as third`, [third]),
        await inTransaction(pool, (client) => client.query(`select $1::float8 as third`, [third])),
      ];
      expect(results.map(({ rows }) => rows)).toEqual(Array(3).fill([{ third }]));
      await pool.end();
      await pgbouncer?.stop();
      await server.stop();
    },
  );
});
