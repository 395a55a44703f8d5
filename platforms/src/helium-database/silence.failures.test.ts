import { type ByteRelay, startByteRelay } from '@portal/kit/byte-relay.fixture';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HeliumDatabase, type HeliumDatabaseOptions, openHeliumDatabase } from './database.ts';

let test: TestDatabase;
let observer: pg.Client;
let relay: ByteRelay;
let database: HeliumDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  observer = new pg.Client(test.url);
  await observer.connect();
});
afterAll(async () => {
  await observer.end();
  await test.drop();
});
beforeEach(async () => {
  relay = await startByteRelay(Number(new URL(test.url).port));
  database = open();
});
afterEach(async () => {
  relay.resume();
  await database.close();
  await relay.stop();
});

/** Long enough for a statement on a busy machine; connections may take much longer. */
const statementTimeoutMs = 500;
/** Only where no connection is expected to succeed. */
const hurried = { connectTimeoutMs: 200 };
const neverProbing = { firstProbeMs: 3_600_000 };

function open(options: Partial<HeliumDatabaseOptions> = {}): HeliumDatabase {
  const url = Object.assign(new URL(test.url), { hostname: '127.0.0.1', port: `${relay.port}` }).href;
  return openHeliumDatabase({
    name: 'helium-app-3',
    url,
    statementTimeoutMs,
    graceMs: 100,
    connectTimeoutMs: 20_000,
    reachability: neverProbing,
    ...options,
  });
}

async function reopen(options: Partial<HeliumDatabaseOptions>): Promise<void> {
  await database.close();
  database = open(options);
}

/** Opens all four connections. */
const warmUp = () => Promise.all(Array.from({ length: 4 }, () => database.query('select pg_sleep(0.01)')));
const silent = {
  name: 'Silent',
  status: 502,
  message: expect.stringMatching(/^The data source helium-app-3 has not answered since \d\d:\d\d\.$/),
};

const countStatements = async () => {
  const { rows } = await observer.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = 'portal' and state = 'active'`,
  );
  return rows[0]?.count;
};

describe('silent data source', () => {
  it('is found by one statement without an answer, after which calls do not use the network', async () => {
    await warmUp();
    relay.stall();
    await expect(database.query('select 1')).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
    const connections = relay.connectionCount();
    for (const call of [
      database.query('select 1'),
      database.transaction({}, ({ query }) => query('select 1')),
      database.withSignal(new AbortController().signal).query('select 1'),
    ]) {
      await expect(call).rejects.toMatchObject(silent);
    }
    expect(database.silence).toMatchObject(silent);
    expect(relay.connectionCount()).toBe(connections);
  });

  it('is found by one connection that is not established', async () => {
    await reopen(hurried);
    relay.stall();
    await expect(database.query('select 1')).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
    await expect(database.query('select 1')).rejects.toMatchObject(silent);
    expect(relay.connectionCount()).toBe(1);
  });

  it('is found when it refuses connections', async () => {
    await relay.stop();
    await expect(database.query('select 1')).rejects.toThrow('cannot be reached: connection refused');
    await expect(database.query('select 1')).rejects.toMatchObject(silent);
  });

  it('fails callers that wait for one of its connections at once', async () => {
    await warmUp();
    relay.stall();
    const calls = Array.from({ length: 12 }, () => database.query('select 1'));
    const outcomes = await Promise.allSettled(calls);
    const names = outcomes.map((one) => (one.status === 'rejected' ? one.reason.name : 'answered'));
    // Four had a connection; the others never waited for a second time-out.
    expect(names.filter((name) => name === 'Unreachable')).toHaveLength(4);
    expect(names.filter((name) => name === 'Silent')).toHaveLength(8);
  });

  it('is found by a caller that stops waiting before any time-out', async () => {
    await reopen({ statementTimeoutMs: 60_000, connectTimeoutMs: 2_000 });
    await warmUp();
    relay.stall();
    const reading = database.withSignal(AbortSignal.timeout(20)).query('select 1');
    await expect(reading).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect.poll(() => database.silence).toMatchObject(silent);
  });

  it('is found back by a probe, and its next call uses a new connection', async () => {
    await reopen({ reachability: { firstProbeMs: 20, maxProbePauseMs: 20 } });
    await warmUp();
    relay.stall();
    await expect(database.query('select 1')).rejects.toMatchObject({ status: 504 });
    expect(database.silence).toMatchObject(silent);
    relay.resume();
    await expect.poll(() => database.silence).toBeUndefined();
    const connections = relay.connectionCount();
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(relay.connectionCount()).toBe(connections + 1);
  });

  it('is found back by a call that was already running', async () => {
    await warmUp();
    const running = database.transaction({ statementTimeoutMs: 60_000 }, ({ query }) => query('select pg_sleep(0.3)'));
    await expect.poll(countStatements).toBe(1);
    relay.stall();
    await expect(database.query('select 1')).rejects.toMatchObject({ status: 504 });
    expect(database.silence).toMatchObject(silent);
    relay.resume();
    await running;
    expect(database.silence).toBeUndefined();
  });

  it('does not affect another data source', async () => {
    await reopen(hurried);
    const other = openHeliumDatabase({ name: 'helium-app-4', url: test.url });
    relay.stall();
    await expect(database.query('select 1')).rejects.toMatchObject({ status: 504 });
    expect(await other.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(other.silence).toBeUndefined();
    await other.close();
  });
});

describe('answering data source', () => {
  it('is not silent when it cancels a slow statement, rejects one, or closes a connection', async () => {
    await expect(database.query('select pg_sleep(60)')).rejects.toMatchObject({ status: 504 });
    await expect(database.query('select nothing')).rejects.toMatchObject({ status: 502 });
    await expect(database.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow('closed the');
    expect(database.silence).toBeUndefined();
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is not silent when callers wait too long for one of its connections', async () => {
    await reopen({ statementTimeoutMs: 60_000, connectTimeoutMs: 2_000 });
    const leaving = new AbortController();
    const held = Array.from({ length: 4 }, () =>
      database
        .withSignal(leaving.signal)
        .query('select pg_sleep(60)')
        .catch(() => undefined),
    );
    await expect.poll(countStatements).toBe(4);
    await expect(database.query('select 1')).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
    expect(database.silence).toBeUndefined();
    leaving.abort();
    await Promise.all(held);
  });
});

describe('call that ends with a signal', () => {
  beforeEach(() => reopen({ statementTimeoutMs: 60_000 }));

  it.each([
    ['query', (from: HeliumDatabase) => from.query('select pg_sleep(60)')],
    ['transaction', (from: HeliumDatabase) => from.transaction({}, ({ query }) => query('select pg_sleep(60)'))],
  ])('throws the signal’s reason and cancels the statement of a %s at the server', async (_, call) => {
    const leaving = new AbortController();
    const calls = Array.from({ length: 6 }, () => call(database.withSignal(leaving.signal)));
    const outcomes = Promise.allSettled(calls);
    await expect.poll(countStatements).toBe(4);
    leaving.abort(new Error('gone'));
    expect((await outcomes).map((one) => one.status === 'rejected' && one.reason.message)).toEqual(
      Array.from({ length: 6 }, () => 'gone'),
    );
    await expect.poll(countStatements).toBe(0);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('does not start after the signal aborted', async () => {
    await expect(database.withSignal(AbortSignal.abort(new Error('gone'))).query('select 1')).rejects.toThrow('gone');
    expect(relay.connectionCount()).toBe(0);
  });
});
