import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { getStats } from '@portal/contract/db-spy';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startStatisticsWorld } from './statistics-world.fixture.ts';

let world: SmallWorld;
let demo: TestClient;
/** Inspects the data source from outside. */
let observer: pg.Client;

const dataSource = 'helium-app-1';
/** More data than all buffers between the data source and a client hold. */
const statementCount = 250;
const commentLength = 120_000;

beforeAll(async () => {
  world = await startStatisticsWorld();
  demo = await world.server.signIn('demo', 'demo');
  const app = new pg.Client(world.helium.app('Clinic Visits').url);
  await app.connect();
  for (let columns = 1; columns <= statementCount; columns += 1)
    await app.query(`select ${Array(columns).fill(1)} /* ${'long '.repeat(commentLength / 5)} */ as last`);
  await app.end();
  observer = new pg.Client(world.helium.dataSources[0].url);
  await observer.connect();
});
afterAll(async () => {
  await observer.end();
  await world.stop();
});

/** Requests the statistics without reading the response. */
async function open(): Promise<IncomingMessage> {
  const sent = request(world.server.url + getStats.path, {
    method: 'POST',
    agent: false,
    headers: { ...demo.cookieHeaders, 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify({ dataSource }));
  const [response] = await once(sent, 'response');
  response.on('error', () => undefined);
  onTestFinished(() => response.destroy());
  return response;
}

/** Returns the process ids of connections in the middle of a list. */
async function findReading(): Promise<number[]> {
  const { rows } = await observer.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where application_name = 'portal' and state = 'idle in transaction' and query like 'fetch %'`,
  );
  return rows.map(({ pid }) => pid);
}

async function waitForReading(count: number): Promise<number[]> {
  return vi.waitUntil(
    async () => {
      const reading = await findReading();
      return reading.length === count && reading;
    },
    { timeout: 30_000 },
  );
}

describe('statistics larger than all buffers', () => {
  it('are read only as far as the client reads, and completely when it does', async () => {
    const response = await open();
    await waitForReading(1);
    expect(response.statusCode).toBe(200);
    const rows = JSON.parse(await text(response));
    expect(rows.length).toBeGreaterThanOrEqual(statementCount);
    await waitForReading(0);
  });

  it('are cut when the data source closes the connection in the middle, so that no client takes a part for the whole', async () => {
    const response = await open();
    const [pid] = await waitForReading(1);
    await observer.query('select pg_terminate_backend($1)', [pid]);
    await expect(text(response)).rejects.toThrow('aborted');
    expect((await demo.attempt(getStats, { dataSource, textLimit: 20 })).status).toBe(200);
  });

  it('wait in a short queue while the user has two lists open, and go on when the client leaves', async () => {
    const opened = await Promise.all([open(), open()]);
    await waitForReading(2);
    const short = () => demo.attempt(getStats, { dataSource, textLimit: 20 });
    const waiting = Array.from({ length: 7 }, short);
    const refused = await Promise.race(waiting);
    expect(refused.status).toBe(429);
    expect(parseProblem(refused).kind).toBe('busy');
    expect(refused.headers.get('retry-after')).toBe('5');
    for (const response of opened) response.destroy();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    await waitForReading(0);
  });
});
