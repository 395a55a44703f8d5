import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AppConnection, type HeliumDatabase, openHeliumDatabase } from './database.ts';
import {
  listMissingResultIndexes,
  readFailingFunctions,
  readLastResults,
  readNewestResults,
} from './scheduled-function-results.ts';

let test: TestDatabase;
let database: HeliumDatabase;
let client: pg.Client;
const schemaName = 'Odd "clinic"';
const table = '"Odd ""clinic""".__scheduled_function_result__';

/** As Helium creates it. Its rows take more than 8 MB; the last function has not run for long. */
beforeAll(async () => {
  test = await createTestDatabase();
  database = openHeliumDatabase({ name: 'helium-app-1', url: test.url });
  client = new pg.Client(test.url);
  await client.connect();
  await client.query(`
    create schema "Odd ""clinic""";
    create table ${table} (_id_ uuid primary key, _tstamp_ timestamp not null, datetimestampstarted timestamp,
      datetimestampfinished timestamp, qualifiedname text, schedule text, error text, stacktrace text, success boolean);
    insert into ${table} (_id_, _tstamp_, datetimestampstarted, qualifiedname, stacktrace)
      select md5(n::text)::uuid, at, at, case when n < 10 then 'Yearly:close' else 'Unit:function' || n % 10 end, repeat('at Unit ', 30)
      from generate_series(1, 30000) n, lateral (select timestamp '2026-01-01' + n * interval '1 minute') moment (at);
    insert into ${table} (_id_, _tstamp_, qualifiedname) values (gen_random_uuid(), now(), 'Never:started');
    insert into ${table} (_id_, _tstamp_, datetimestampstarted) values (gen_random_uuid(), now(), '2020-01-01');
    analyze ${table}`);
});
afterEach(async () => {
  const { rows } = await client.query<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i where i.indrelid = $1::regclass and not i.indisprimary`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
});
afterAll(async () => {
  await client.end();
  await database.close();
  await test.drop();
});

const createIndexes = async () => {
  for (const statement of await listMissingResultIndexes(database, schemaName)) await client.query(statement);
};

/** Returns the plans of the statements that read the table. */
async function explain(read: (database: HeliumDatabase) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const addPlan = async (sql: string, parameters: readonly unknown[] = []) => {
    if (!sql.includes(`from ${table}`)) return;
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...parameters]);
    plans.push(...rows.map((row) => row['QUERY PLAN']));
  };
  const asApp = (name: string): AppConnection => ({
    name,
    transaction: (options, work) =>
      database.asApp(name).transaction(options, (transaction) =>
        work({
          ...transaction,
          async query<Row extends pg.QueryResultRow>(
            queryable: string | { text: string },
            parameters?: readonly unknown[],
          ) {
            await addPlan(typeof queryable === 'string' ? queryable : queryable.text, parameters);
            return transaction.query<Row>(queryable, parameters);
          },
        }),
      ),
  });
  await read({ ...database, asApp });
  expect(plans).not.toEqual([]);
  return plans.join('\n');
}

async function readTruth() {
  const { rows } = await client.query<{ id: string; name: string }>(
    `select distinct on (qualifiedname) _id_ as id, qualifiedname as name from ${table}
     where datetimestampstarted is not null and qualifiedname is not null
     order by qualifiedname, datetimestampstarted desc, _id_ desc`,
  );
  return rows.map(({ id, name }) => `${name} ${id}`);
}

async function readNewestTruth(limit: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select _id_ as id from ${table} where datetimestampstarted is not null
     order by datetimestampstarted desc, _id_ limit $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

const readNewest = async (limit: number) =>
  (await readNewestResults(database, schemaName, { limit })).map(({ id }) => id);
const readLast = async () =>
  [...(await readLastResults(database, schemaName)).results].map(([name, { id }]) => `${name} ${id}`).sort();
const newest = (from: HeliumDatabase) => readNewestResults(from, schemaName, { limit: 100 });
const last = (from: HeliumDatabase) => readLastResults(from, schemaName);

describe('results of functions in a large table without an index', () => {
  it('are offered the two statements that create the missing indexes', async () => {
    expect(await listMissingResultIndexes(database, schemaName)).toEqual([
      `CREATE INDEX CONCURRENTLY ON ${table} (datetimestampstarted);`,
      `CREATE INDEX CONCURRENTLY ON ${table} (qualifiedname, datetimestampstarted);`,
    ]);
    await client.query(`create index on ${table} (datetimestampstarted) where success`);
    await client.query(`create index on ${table} (qualifiedname)`);
    expect(await listMissingResultIndexes(database, schemaName)).toHaveLength(2);
    await client.query(`create index on ${table} (datetimestampstarted desc)`);
    expect(await listMissingResultIndexes(database, schemaName)).toEqual([
      `CREATE INDEX CONCURRENTLY ON ${table} (qualifiedname, datetimestampstarted);`,
    ]);
  });

  it('include the last one of each function, read without sorting the table', async () => {
    expect(await readLast()).toEqual(await readTruth());
    expect((await readTruth()).length).toBe(11);
    const plan = await explain(last);
    expect(plan).toContain('HashAggregate');
    expect(plan).not.toContain('Sort');
  });

  it('sort only the addresses of the rows to find the newest', async () => {
    expect(await explain(newest)).toMatch(/Tid Scan on __scheduled_function_result__/);
    expect(await readNewest(100)).toEqual(await readNewestTruth(100));
  });

  it('are compared with a sample to find the newest, which is complete if the sample is too small', async () => {
    expect(await explain(newest)).toContain('Sample Scan');
    for (const limit of [1, 1_000, 40_000]) expect(await readNewest(limit)).toEqual(await readNewestTruth(limit));
  });

  it('cannot be read in time while the table is locked', async () => {
    await client.query(`begin; lock table ${table}`);
    await expect(readLastResults(database, schemaName, { timeoutMs: 50 })).rejects.toMatchObject({
      status: 504,
    });
    expect(await listMissingResultIndexes(database, schemaName)).toHaveLength(2);
    await client.query('rollback');
  });
});

describe('results of functions in a large table with the offered indexes', () => {
  it('are the same', async () => {
    const before = [await newest(database), await readLast()];
    await createIndexes();
    expect(await listMissingResultIndexes(database, schemaName)).toEqual([]);
    expect([await newest(database), await readLast()]).toEqual(before);
  });

  it('are read with the indexes only', async () => {
    await createIndexes();
    for (const read of [newest, last]) {
      const plan = await explain(read);
      expect(plan).toMatch(/Index (Only )?Scan/);
      expect(plan).not.toMatch(/(Seq|Sample) Scan/);
    }
    expect(await explain(last)).not.toContain('Filter: (qualifiedname');
  });
});

it('reads the results of a data source that accepts no changes', async () => {
  await client.query(
    `alter database ${pg.escapeIdentifier(client.database ?? '')} set default_transaction_read_only = on`,
  );
  const readOnly = openHeliumDatabase({ name: 'standby', url: test.url });
  try {
    expect(await readOnly.query('show transaction_read_only')).toEqual([{ transaction_read_only: 'on' }]);
    expect((await readLastResults(readOnly, schemaName)).results.size).toBe(11);
    expect(
      await readFailingFunctions(readOnly, schemaName, { limit: 20, maxNames: 2, maxLength: 13, timeoutMs: 8_000 }),
    ).toEqual({
      names: expect.toSatisfy((names: unknown[]) => names.length === 2),
      count: 0,
      newest: [],
    });
  } finally {
    await readOnly.close();
    await client.query(
      `alter database ${pg.escapeIdentifier(client.database ?? '')} reset default_transaction_read_only`,
    );
  }
});

it('offers no statements for a small table of results', async () => {
  await client.query(`create schema small; create table small.__scheduled_function_result__
    (qualifiedname text, datetimestampstarted timestamp); analyze small.__scheduled_function_result__`);
  expect(await listMissingResultIndexes(database, 'small')).toEqual([]);
});

describe.each([
  ['without an index', async () => undefined],
  ['with its indexes', createIndexes],
])('failing functions of a table %s', (_, prepare) => {
  const readFailing = (limit: number) =>
    readFailingFunctions(database, schemaName, { limit, maxNames: 500, maxLength: 13, timeoutMs: 8_000 });
  const add = (name: string, started: string, outcome: { success: boolean; error?: string; isRunning?: boolean }) =>
    client.query(
      `insert into ${table} (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, qualifiedname, success, error)
       values (gen_random_uuid(), now(), $1, $2, $3, $4, $5)`,
      [started, outcome.isRunning ? null : started, name, outcome.success, outcome.error],
    );

  beforeEach(prepare);
  afterEach(() =>
    client.query(`delete from ${table} where qualifiedname like 'Failing:%' or qualifiedname like 'Fine:%'`),
  );

  it('are counted, and the newest are listed with the beginning of their error', async () => {
    await add('Failing:first', '2026-03-01', { success: false, error: '\n  No space left on the device' });
    await add('Failing:other', '2026-03-02', { success: true, error: 'Late' });
    await add('Failing:third time', '2026-03-03', { success: false });
    await add('Fine:recovered', '2026-03-01', { success: false, error: 'Old' });
    await add('Fine:recovered', '2026-03-02', { success: true });
    await add('Fine:running', '2026-03-04', { success: false, isRunning: true });
    expect(await readFailing(20)).toMatchObject({
      names: expect.arrayContaining(['Failing:first', 'Fine:running']),
      count: 3,
      newest: [
        { qualifiedName: 'Failing:third', finished: new Date('2026-03-03T00:00:00Z'), error: null },
        { qualifiedName: 'Failing:other', finished: new Date('2026-03-02T00:00:00Z'), error: 'Late' },
        { qualifiedName: 'Failing:first', finished: new Date('2026-03-01T00:00:00Z'), error: 'No space left' },
      ],
    });
    expect(await readFailing(1)).toMatchObject({ count: 3, newest: [{ qualifiedName: 'Failing:third' }] });
  });

  it('count once when two runs started at the same time', async () => {
    await add('Failing:twice', '2026-03-01', { success: false, error: 'No' });
    await add('Failing:twice', '2026-03-01', { success: false, error: 'No' });
    expect(await readFailing(20)).toMatchObject({ count: 1 });
  });

  it('are counted when they are 100,000, and few of the last results are returned', async () => {
    await client.query(
      `insert into ${table} (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, qualifiedname, success, error, stacktrace)
       select gen_random_uuid(), now(), at, at, 'Failing:function' || n, false, repeat('No', 100), repeat('at Unit ', 100)
       from generate_series(1, 100000) n, lateral (select timestamp '2026-03-01' + n * interval '1 s') moment (at)`,
    );
    await client.query(`analyze ${table}`);
    expect(await readFailing(1)).toMatchObject({
      count: 100_000,
      newest: [
        {
          qualifiedName: expect.stringMatching(/^Failing:.{5}$/),
          finished: new Date('2026-03-02T03:46:40Z'),
          error: 'NoNoNoNoNoNoN',
        },
      ],
    });
    const { results, isLimited } = await readLastResults(database, schemaName);
    expect({ count: results.size, isLimited }).toEqual({ count: 1_000, isLimited: true });
  });

  it('last include the result with the greatest id of those that started at the same time', async () => {
    for (const hasFailed of [true, false, true, false]) {
      const outcome = hasFailed ? { success: false, error: 'No' } : { success: true };
      await add('Failing:twice', '2026-03-01', outcome);
    }
    const { rows } = await client.query<{ id: string }>(
      `select _id_ as id from ${table} where qualifiedname = 'Failing:twice' order by _id_ desc limit 1`,
    );
    const { results } = await readLastResults(database, schemaName);
    expect(results.get('Failing:twice')?.id).toBe(rows[0]?.id);
  });

  it('are none when one has not finished in any calendar', async () => {
    await add('Failing:never', 'infinity', { success: false });
    expect(await readFailing(20)).toMatchObject({ count: 0, newest: [] });
  });

  it('are none when the last run of every function succeeded', async () => {
    expect(await readFailing(20)).toMatchObject({ count: 0, newest: [] });
  });
});
