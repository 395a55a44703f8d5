import { createServer, type Server, type Socket } from 'node:net';
import type { HeliumSimulator, SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAppSchemas } from './app-schemas.ts';
import { type HeliumDatabase, openHeliumDatabase } from './database.ts';
import { type NewestRows, readNewestLogRows } from './logging-log.ts';
import { readInBatches } from './read-in-batches.ts';
import { readLastResults, readNewestResults } from './scheduled-function-results.ts';
import type { TransactionOptions } from './transaction.ts';

let simulator: HeliumSimulator;
let clinic: SimulatedAppHandle;
let database: HeliumDatabase;

beforeAll(async () => {
  simulator = await startTestSimulator();
  clinic = simulator.app('Clinic Visits');
  database = openHeliumDatabase({ name: 'helium-app-1', url: clinic.adminUrl });
});
afterAll(async () => {
  await database.close();
  await simulator.stop({ dropDatabases: true });
});

describe('app schemas', () => {
  it('lists the schemas that hold an app, with their owners', async () => {
    const schemas = await readAppSchemas(database);
    expect(schemas.map(({ schemaName }) => schemaName)).toEqual(['clinic_visits_001', 'farm_inputs_001']);
    expect(new Set(schemas.map(({ owner }) => owner)).size).toBe(2);
  });
});

describe('scheduled function results', () => {
  it('returns success and failure of each run, newest first', async () => {
    const good = await clinic.run('Nightly:closeOldVisits');
    const bad = await clinic.run('Reminders:callGateway');
    const [newest, before] = await readNewestResults(database, clinic.schemaName, { limit: 2 });
    expect(newest).toMatchObject({
      id: bad?.id,
      qualifiedName: 'Reminders:callGateway',
      success: false,
      started: bad?.started,
    });
    expect(newest?.stackTrace).toContain('Caused by: java.net.SocketTimeoutException: Read timed out');
    expect(before).toEqual(
      expect.objectContaining({ id: good?.id, success: true, error: null, finished: good?.finished }),
    );
  });

  it('has a latest run of every function', async () => {
    const { results: last } = await readLastResults(database, clinic.schemaName);
    expect([...last.keys()].sort()).toEqual([
      'Nightly:closeOldVisits',
      'Reminders:callGateway',
      'Reminders:sendReminders',
      'Reports:exportVisits',
      'Reports:runForever',
    ]);
    const [newest, ...others] = await readNewestResults(database, clinic.schemaName, { limit: 1 });
    expect(others).toEqual([]);
    expect([...last.values()].map(({ id }) => id)).toContain(newest?.id);
  });

  it('returns a null end while a function runs', async () => {
    await plainSql(
      clinic.url,
      `insert into __scheduled_function_result__ (_id_, _tstamp_, datetimestampstarted, qualifiedname)
      values (gen_random_uuid(), now(), now() at time zone 'UTC' + interval '1 hour', 'Reports:running')`,
    );
    const [newest] = await readNewestResults(database, clinic.schemaName, { limit: 1 });
    expect(newest).toMatchObject({ qualifiedName: 'Reports:running', finished: null });
  });
});

describe('app log', () => {
  const at = Date.UTC(2026, 0, 15, 10, 30, 0, 250);

  beforeAll(async () => {
    const farm = simulator.app('Farm Inputs');
    farm.log(
      ...Array.from({ length: 25 }, (_, index) => ({
        key: 'INFO',
        value: `row ${index}`,
        millis: at + Math.floor(index / 5),
      })),
    );
    await farm.logWritten();
  });
  const read = (wanted: Partial<NewestRows>) =>
    readNewestLogRows(database, 'farm_inputs_001', { afterMillis: at - 1, maxRows: 100, ...wanted });
  const getNumbers = (rows: readonly { value: string }[]) => rows.map(({ value }) => Number(value.slice(4)));
  const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

  it('returns log rows in the order they were written, to the millisecond', async () => {
    const rows = await read({});
    expect(getNumbers(rows)).toEqual(upTo(0, 25));
    expect(rows.map(({ millis }) => millis - at)).toEqual(upTo(0, 25).map((index) => Math.floor(index / 5)));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(25);
  });

  it('returns only log rows later than the given instant', async () => {
    expect(getNumbers(await read({ afterMillis: at + 2 }))).toEqual(upTo(15, 25));
    expect(await read({ afterMillis: at + 4 })).toEqual([]);
  });

  it('returns the newest log rows when there are more than requested', async () => {
    expect(getNumbers(await read({ maxRows: 7 }))).toEqual(upTo(18, 25));
  });

  it('removes text that PostgreSQL cannot store from log rows and leaves everything else intact', async () => {
    const value = `${'long '.repeat(50_000)}\n\tat é 日本 🌾 '"\\`;
    simulator.app('Stock Room').log({ key: 'Runtime Error', value: `${value}\0` });
    await simulator.app('Stock Room').logWritten();
    const stock = openHeliumDatabase({ name: 'helium-app-2', url: simulator.app('Stock Room').adminUrl });
    const rows = await readNewestLogRows(stock, 'stock_room_001', { afterMillis: at - 1, maxRows: 10 });
    await stock.close();
    expect(rows.map((row) => row.value)).toEqual([value]);
  });
});

describe('data source session', () => {
  it('reports an error of the server in its words, even if they contain the name of a timeout', async () => {
    const raising = `do $$ begin raise exception 'statement_timeout is not for app 7'; end $$`;
    await expect(database.query(raising)).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/ reported an error: statement_timeout is not for app 7\.$/),
    });
  });

  it('has only its limits as settings after a large result was read with more memory', async () => {
    const sql = `select current_setting('work_mem')`;
    const read: (string | null)[][] = [];
    await readInBatches(database, { sql, values: [] }, (rows) => void read.push(...rows));
    expect(read).toEqual([['32MB']]);
    const left = await database.query(`select name, setting from pg_settings where source = 'session' order by name`);
    expect(left).toEqual([
      { name: 'array_nulls', setting: 'on' },
      { name: 'extra_float_digits', setting: '3' },
      { name: 'quote_all_identifiers', setting: 'off' },
      { name: 'search_path', setting: 'pg_catalog' },
      { name: 'statement_timeout', setting: '10000' },
    ]);
  });
});

describe('data source transaction', () => {
  const settings = (options: TransactionOptions) =>
    database.transaction(options, async (transaction) => {
      const [row] = await transaction.query<{ settings: string }>(
        `select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
           current_setting('transaction_read_only')) as settings`,
      );
      return row?.settings;
    });
  const visits = async () => (await database.query('select from clinic_visits_001.visit')).length;
  const removeVisits = (options: TransactionOptions) =>
    database.transaction(options, async (transaction) => {
      await transaction.query('delete from clinic_visits_001.visit');
    });

  it('applies its own limits and resets them afterwards', async () => {
    expect(await settings({ statementTimeoutMs: 1_500, lockTimeoutMs: 250, readOnly: true })).toBe('1500ms 250ms on');
    expect(await settings({})).toBe('10s 0 off');
  });

  it('changes nothing in a dry run, in a read-only transaction, or when its work fails', async () => {
    const before = await visits();
    await removeVisits({ dryRun: true });
    await expect(removeVisits({ readOnly: true })).rejects.toMatchObject({ code: '25006' });
    await expect(
      database.transaction({}, async (transaction) => {
        await transaction.query('delete from clinic_visits_001.visit');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await visits()).toBe(before);
    expect(before).toBeGreaterThan(0);
  });

  it('lets a transaction run longer than a query, up to its own limit', async () => {
    const hurried = openHeliumDatabase({ name: 'helium-app-1', url: clinic.adminUrl, statementTimeoutMs: 500 });
    const slowly = (statementTimeoutMs: number) =>
      hurried.transaction({ statementTimeoutMs }, (transaction) => transaction.query('select pg_sleep(1)'));
    await expect(slowly(60_000)).resolves.toHaveLength(1);
    await expect(slowly(500)).rejects.toMatchObject({ code: '57014' });
    await hurried.close();
  });

  it('reports a lost connection and uses a new one for the next transaction', async () => {
    const lost = database.transaction({}, (transaction) =>
      transaction.query('select pg_terminate_backend(pg_backend_pid())'),
    );
    await expect(lost).rejects.toMatchObject({ message: 'The data source helium-app-1 closed the connection.' });
    expect(await settings({})).toBe('10s 0 off');
  });

  it('runs one statement at a time with the extended protocol', async () => {
    const two = database.transaction({}, (transaction) =>
      transaction.query({ text: 'select 1; select 2', queryMode: 'extended' }),
    );
    await expect(two).rejects.toMatchObject({ code: '42601' });
  });
});

describe('large result', () => {
  const readAll = async (sql: string, values: readonly unknown[] = []) => {
    const batches: (string | null)[][][] = [];
    await readInBatches(database, { sql, values }, (rows) => {
      batches.push(rows);
    });
    return batches;
  };

  it('returns values as PostgreSQL writes them', async () => {
    expect(await readAll('select 1::int8, null::text, true, $1::float8', [0.25])).toEqual([[['1', null, 't', '0.25']]]);
  });

  it('arrives completely and in order, whatever its size', async () => {
    for (const count of [0, 1, 49, 50, 51, 549, 550, 551, 5_000]) {
      const batches = await readAll('select at from generate_series(1, $1::int) at', [count]);
      expect(batches.flat()).toEqual(Array.from({ length: count }, (_, index) => [String(index + 1)]));
      expect(Math.max(...batches.map((rows) => rows.length))).toBeLessThanOrEqual(500);
    }
  });

  it('arrives in smaller batches if its rows are long', async () => {
    const batches = await readAll(`select repeat('x', 100000) from generate_series(1, 100)`);
    expect(batches.slice(1).map((rows) => rows.length)).toEqual([...Array(25).fill(2), 0]);
  });

  it('is not read further when its reader fails, and returns its connection', async () => {
    const database = openHeliumDatabase({ name: 'helium-app-1', url: clinic.adminUrl });
    let batches = 0;
    const stop = () =>
      readInBatches(database, { sql: 'select generate_series(1, 1000)', values: [] }, () => {
        batches += 1;
        throw new Error('no reader');
      });
    // More often than there are connections.
    for (let round = 1; round <= 6; round++) {
      await expect(stop()).rejects.toThrow('no reader');
      expect(batches).toBe(round);
    }
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
  });

  it('reports an error of PostgreSQL in words', async () => {
    await expect(readAll('select 1 / (at - 100) from generate_series(1, 200) at')).rejects.toMatchObject({
      message: 'The data source helium-app-1 reported an error: division by zero.',
    });
  });
});

describe('data source failures', () => {
  const asking = async (url: string, options: { statementTimeoutMs?: number; connectTimeoutMs?: number } = {}) => {
    const broken = openHeliumDatabase({ name: 'helium-app-1', url, ...options });
    const problem = await readNewestLogRows(broken, clinic.schemaName, { afterMillis: 0, maxRows: 1 }).catch(
      (error: unknown) => error,
    );
    await broken.close();
    return problem;
  };
  const changed = (parts: Partial<URL>) => Object.assign(new URL(clinic.adminUrl), parts).href;

  it('reports a wrong password without showing it', async () => {
    const problem = await asking(changed({ password: 'hunter2' }));
    expect(problem).toMatchObject({
      name: 'Unreachable',
      status: 502,
      message: 'The data source helium-app-1 rejects the configured user or password.',
    });
    expect(String(problem)).not.toContain('hunter2');
  });

  it('reports an unknown database', async () => {
    expect(await asking(changed({ pathname: '/nothing' }))).toMatchObject({
      message: 'The data source helium-app-1 has no database of the configured name.',
    });
  });

  it('reports a schema that does not exist', async () => {
    await expect(readNewestLogRows(database, 'nothing_001', { afterMillis: 0, maxRows: 1 })).rejects.toMatchObject({
      name: 'Unreachable',
      message: 'The data source helium-app-1 has no such schema, or no such table in it.',
    });
  });

  it('reports a schema the user has no permission to read', async () => {
    const own = openHeliumDatabase({ name: 'helium-app-1', url: clinic.url });
    await expect(readNewestLogRows(own, 'farm_inputs_001', { afterMillis: 0, maxRows: 1 })).rejects.toMatchObject({
      message: 'The data source helium-app-1 does not allow the configured user to read this.',
    });
    await own.close();
  });

  it('cancels a statement that takes too long', async () => {
    const hurried = openHeliumDatabase({ name: 'helium-app-1', url: clinic.adminUrl, statementTimeoutMs: 20 });
    await expect(hurried.query('select pg_sleep(60)')).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
    await hurried.close();
  });

  it('gives up on a server that accepts the connection and never responds', async () => {
    await using silent = await listen(() => undefined);
    const problem = await asking(`postgres://a:b@127.0.0.1:${silent.port}/x`, { connectTimeoutMs: 30 });
    expect(problem).toMatchObject({ name: 'Unreachable', status: 504 });
  });

  it('reports a server that closes the connection', async () => {
    await using rude = await listen((socket) => socket.destroy());
    expect(await asking(`postgres://a:b@127.0.0.1:${rude.port}/x`)).toMatchObject({
      message: 'The data source helium-app-1 closed the connection.',
    });
  });

  it('reports a refused connection', async () => {
    const closedServer = await listen(() => undefined);
    await closedServer[Symbol.asyncDispose]();
    expect(await asking(`postgres://a:b@127.0.0.1:${closedServer.port}/x`)).toMatchObject({
      message: 'The data source helium-app-1 cannot be reached: connection refused.',
    });
  });

  it('runs the next query on a new connection after the server closes one', async () => {
    const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    await plainSql(clinic.adminUrl, `select pg_terminate_backend(${row?.pid})`);
    await expect.poll(() => database.query('select 1 as one').catch(() => undefined)).toEqual([{ one: 1 }]);
  });
});

async function plainSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function listen(onConnection: (socket: Socket) => unknown) {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
