import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { configFor, createSyncDatabase } from '../service.fixture.ts';
import { deleteIntegrationRow, insertIntegration } from './integrations.store.ts';
import { appendLines, readLines, readLogHeads, type StoredLine } from './log.store.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test', max: 12 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function make(name: string): Promise<string> {
  const app = { id: name, name, schemaName: name };
  const id = await inTransaction(pool, (client) =>
    insertIntegration(client, {
      environment: 'Production',
      appId: name,
      appName: name,
      dataSource: 'apps-1',
      config: configFor(app),
      sealedPassword: Buffer.alloc(0),
      by: 'thandi',
    }),
  );
  if (id === undefined) throw new Error('It is there already.');
  return id;
}

const line = (id: string, value: string) => ({ id, atMs: 1_700_000_000_123, key: 'INFO', value });

it('misses no line for a reader that continues from the last number, with any number of concurrent writers', async () => {
  const ids = await Promise.all(['a', 'b', 'c'].map(make));
  const rounds = 40;
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let round = 0; round < rounds; round += 1) {
      const order = writer % 2 === 0 ? ids : [...ids].reverse();
      await appendLines(
        pool,
        [...order, ...order].map((id, index) => line(id, `${writer} ${round} ${index}`)),
      );
    }
  });
  const total = writers.length * rounds * 2;
  const readers = ids.map(async (id) => {
    const had: StoredLine[] = [];
    while (had.length < total) had.push(...(await readLines(pool, id, had.at(-1)?.seq ?? 0, 50)));
    return had;
  });
  const [read] = await Promise.all([Promise.all(readers), Promise.all(writers)]);
  for (const had of read) {
    expect(had.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(new Set(had.map(({ value }) => value)).size).toBe(total);
    for (const writer of ['0', '1', '2', '3']) {
      const rounds = had
        .filter(({ value }) => value.startsWith(`${writer} `))
        .map(({ value }) => Number(value.split(' ')[1]));
      expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
    }
  }
});

it('stores a line unchanged except for characters that cannot be stored', async () => {
  const id = await make('odd');
  const odd = ['', "'; drop table sync.log; --", 'a\nb\tc', '🌾 é', '\u0000 nul', '\ud800 half'];
  await appendLines(
    pool,
    odd.map((value) => line(id, value)),
  );
  const stored = await readLines(pool, id, 0, 10);
  expect(stored.map(({ value }) => value)).toEqual([...odd.slice(0, 4), '\ufffd nul', '\ufffd half']);
  expect(stored[0]).toMatchObject({ seq: 1, millis: 1_700_000_000_123, key: 'INFO' });
});

it('drops the lines of deleted integrations', async () => {
  const [existing, deleted] = [await make('kept'), await make('gone')];
  await inTransaction(pool, (client) => deleteIntegrationRow(client, deleted));
  await appendLines(pool, [line(deleted, 'late'), line(existing, 'late')]);
  expect(await readLogHeads(pool, [existing, deleted])).toEqual([{ id: existing, status: 'Enabled', lastSeq: 1 }]);
  expect(await readLines(pool, deleted, 0, 100)).toEqual([]);
});

it('makes a deletion wait for log writers without deadlocks', async () => {
  const id = await make('contended');
  const writer = await pool.connect();
  await writer.query('begin');
  await writer.query('select from sync.log_head where integration_id = $1 for update', [id]);
  const deleting = inTransaction(pool, (client) => deleteIntegrationRow(client, id));
  const blocked = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await pool.query(blocked)).rowCount).toBe(1);
  await writer.query("insert into sync.log values ($1, 1, now(), 'INFO', 'in time')", [id]);
  await writer.query('commit');
  writer.release();
  await deleting;
  expect(await readLogHeads(pool, [id])).toEqual([]);
});
