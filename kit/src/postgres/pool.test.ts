import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from './launcher.ts';
import { createPool, inTransaction, isOutage, isPoolExhausted, type Pool, withClient } from './pool.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pool-'));
let server: PostgresServer;
let pool: Pool;

beforeAll(async () => {
  server = await startPostgres({ dataDir, isFast: true });
  pool = createPool(server.url, { applicationName: 'pool test', max: 3, statementTimeoutMs: 5_000 });
  await pool.query('create table entry (word text not null)');
});

afterAll(async () => {
  await pool.end();
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

async function readWords(): Promise<string[]> {
  return (await pool.query<{ word: string }>('select word from entry order by word')).rows.map(({ word }) => word);
}

async function getError(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return undefined;
}

test('passes the pool options to the server', async () => {
  const { rows } = await pool.query(
    "select current_setting('application_name') as name, current_setting('statement_timeout') as limit",
  );
  expect(rows).toEqual([{ name: 'pool test', limit: '5s' }]);
});

test('commits a transaction completely or not at all', async () => {
  expect(
    await inTransaction(pool, async (client) => (await client.query("insert into entry values ('kept')")).rowCount),
  ).toBe(1);
  const refusal = new Error('changed my mind');
  const failed = inTransaction(pool, async (client) => {
    await client.query("insert into entry values ('lost')");
    throw refusal;
  });
  expect(await getError(failed)).toBe(refusal);
  const wrong = await getError(inTransaction(pool, (client) => client.query('insert into entry values (null)')));
  expect(isOutage(wrong)).toBe(false);
  expect(await readWords()).toEqual(['kept']);
});

test('recovers from a server restart, which fails only the queries in progress', async () => {
  const before = await readWords();
  const cut = inTransaction(pool, async (client) => {
    await client.query("insert into entry values ('lost')");
    await server.restart();
    await client.query("insert into entry values ('lost too')");
  });
  expect(isOutage(await getError(cut))).toBe(true);
  expect(await readWords()).toEqual(before);

  // All connections of the pool are idle when the server stops.
  await server.stop();
  expect(isOutage(await getError(readWords()))).toBe(true);
  await server.restart();
  expect(await readWords()).toEqual(before);
});

test('a transaction in a read-only session fails, and the next one gets another session', async () => {
  await inTransaction(pool, (client) => client.query('set session characteristics as transaction read only'));
  const write = () => inTransaction(pool, (client) => client.query("insert into entry values ('later')"));
  await expect(write()).rejects.toThrow('read-only transaction');
  expect((await write()).rowCount).toBe(1);
});

test('distinguishes a pool whose connections are all in use from an outage', async () => {
  const small = createPool(server.url, { applicationName: 'pool test', max: 1, connectTimeoutMs: 2_000 });
  const client = await small.connect();
  const error = await getError(small.query('select 1'));
  expect(isPoolExhausted(error)).toBe(true);
  expect(isOutage(error)).toBe(false);
  client.release();
  expect(isPoolExhausted(await getError(small.query('select wrong')))).toBe(false);
  await small.end();
});

test('fails the next query of a single connection that was lost while it was idle', async () => {
  const work = withClient({ connectionString: server.url }, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const isLost = new Promise((resolve) => client.once('end', resolve));
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await isLost;
    await client.query('select 1');
  });
  expect(isOutage(await getError(work))).toBe(true);
});

test('treats a network that drops all packets as an outage, and replaces the connection', async () => {
  const network = createServer((near) => {
    const far = connect(server.port, server.host);
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined).once('close', () => other.destroy());
    }
    lines.push(near, far);
  });
  const lines: Socket[] = [];
  network.listen(0, '127.0.0.1');
  await once(network, 'listening');
  const address = new URL(server.url);
  address.port = String((network.address() as AddressInfo).port);
  const far = createPool(address.href, { applicationName: 'pool test', statementTimeoutMs: 1_000 });
  expect((await far.query('select 1 as one')).rows).toEqual([{ one: 1 }]);

  for (const line of lines) line.unpipe().pause();
  expect(isOutage(await getError(far.query('select 1')))).toBe(true);
  expect((await far.query('select 2 as two')).rows).toEqual([{ two: 2 }]);

  await far.end();
  for (const line of lines) line.destroy();
  network.close();
});
