import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import { withClient } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type HeliumDatabase, openHeliumDatabase } from './database.ts';
import { readInBatches } from './read-in-batches.ts';
import { startAccessWorld } from './schema-access/access-world.fixture.ts';
import { grantAccess } from './schema-access/grant-access.ts';
import { smallSchema } from './schema-access/schema-with-everything.fixture.ts';

describe.skipIf(!hasPgbouncer)('a data source behind pgbouncer', () => {
  let test: TestDatabase;
  let pgbouncer: Pgbouncer;
  let observer: pg.Client;
  let database: HeliumDatabase;

  const open = (url: string, statementTimeoutMs = 10_000) =>
    openHeliumDatabase({ name: 'helium-app-1', url, statementTimeoutMs, graceMs: 60_000, connectTimeoutMs: 20_000 });
  const openPooled = (statementTimeoutMs?: number) => open(pgbouncer.toPooled(test.url), statementTimeoutMs);

  beforeAll(async () => {
    test = await createTestDatabase();
    pgbouncer = await startPgbouncer(test.url);
    observer = new pg.Client(test.url);
    await observer.connect();
    database = openPooled();
  });
  afterAll(async () => {
    await database.close();
    await observer.end();
    await pgbouncer.stop();
    await test.drop();
  });

  /** Passes each number on as an array of its text. */
  const sql = 'select generate_series(1, 120)';
  const readNumbers = async () => {
    const rows: (string | null)[][] = [];
    await readInBatches(database, { sql, values: [] }, (batch) => void rows.push(...batch));
    return rows;
  };

  it('is read by queries, transactions and in batches', async () => {
    expect(await database.query('select $1::int as one', [1])).toEqual([{ one: 1 }]);
    const inOne = await database.transaction({ readOnly: true, statementTimeoutMs: 2_000 }, ({ query }) =>
      query(`select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as mode`),
    );
    expect(inOne).toEqual([{ timeout: '2s', mode: 'on' }]);
    expect(await readNumbers()).toHaveLength(120);
  });

  it('cancels a statement at the server that takes too long', async () => {
    const hurried = openPooled(20);
    const late = { status: 504, message: 'The data source helium-app-1 did not respond in time.' };
    await expect(hurried.query('select pg_sleep(60)')).rejects.toMatchObject(late);
    await expect(hurried.query('select pg_sleep($1)', [60])).rejects.toMatchObject(late);
    expect(await hurried.query('select 1 as one')).toEqual([{ one: 1 }]);
    await hurried.close();
  });

  it.each([
    ['query', (from: HeliumDatabase) => from.query(`select pg_sleep(60), 'left behind'`)],
    [
      'transaction',
      (from: HeliumDatabase) => from.transaction({}, (t) => t.query(`select pg_sleep(60), 'left behind'`)),
    ],
  ])('cancels the statement of a %s at the server whose caller stopped waiting', async (_, call) => {
    const countRunning = async () => {
      const { rows } = await observer.query<{ pid: number }>(
        `select pid from pg_stat_activity where state = 'active' and query like '%left behind%' and pid <> pg_backend_pid()`,
      );
      return rows.length;
    };
    const leaving = new AbortController();
    const patient = openPooled(60_000);
    const outcome = call(patient.withSignal(leaving.signal)).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await countRunning()).toBe(1), { timeout: 100_000 });
    leaving.abort(new Error('left'));
    expect(await outcome).toMatchObject({ message: 'left' });
    await vi.waitFor(async () => expect(await countRunning()).toBe(0), { timeout: 100_000 });
    await patient.close();
  });

  it('has no setting that remains in the sessions of strangers', async () => {
    const url = pgbouncer.toPooled(test.url);
    await withClient({ connectionString: url, application_name: 'stranger' }, async (client) => {
      const readSession = async () =>
        (
          await client.query(
            `select pg_backend_pid() as pid, json_object_agg(name, setting) as settings from pg_settings
             where name in ('work_mem', 'search_path', 'statement_timeout', 'lock_timeout', 'application_name',
               'extra_float_digits', 'idle_in_transaction_session_timeout', 'default_transaction_read_only')`,
          )
        ).rows;
      const before = await readSession();
      await readNumbers();
      await database.query('select $1::int as one', [1]);
      await database.transaction({ lockTimeoutMs: 1_000, readOnly: true }, ({ query }) =>
        query(`select set_config('search_path', 'pg_catalog', true)`),
      );
      // The process id is the same, so it is the session that the portal used in between.
      expect(await readSession()).toEqual(before);
    });
  });

  it('names a parameter of its address that the pooler refuses', async () => {
    const refused = open(`${pgbouncer.toPooled(test.url)}?statement_timeout=5000`);
    const reason =
      'The data source helium-app-1 is behind a pooler that refuses the parameter statement_timeout; remove it from the address of the database.';
    const problem = { name: 'Unreachable', status: 502, message: reason };
    await expect(refused.query('select 1')).rejects.toMatchObject(problem);
    await expect(refused.transaction({}, ({ query }) => query('select 1'))).rejects.toMatchObject(problem);
    expect(refused.silence).toBeUndefined();
    await refused.close();
  });

  it('has schema access planned and granted', async () => {
    const world = await startAccessWorld(test.url, { schemaSql: smallSchema });
    const ownPooler = await startPgbouncer(world.url);
    const pooled = open(ownPooler.toPooled(world.url));
    const { schemaName, team, otherTeam } = world;
    const request = { schemaName, team, teams: [team, otherTeam] };
    const planned = await grantAccess(pooled, { ...request, mode: 'plan' });
    const granted = await grantAccess(pooled, { ...request, mode: 'run' });
    expect(granted.plan.steps).toEqual(planned.plan.steps);
    expect(granted.plan.steps.length).toBeGreaterThan(0);
    expect((await grantAccess(pooled, { ...request, mode: 'plan' })).plan.steps).toEqual([]);
    await pooled.close();
    await ownPooler.stop();
    await world.stop();
  });
});
