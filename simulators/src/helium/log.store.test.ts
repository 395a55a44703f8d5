import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ChangeLogFixture, createChangeLogFixture } from './change-log.fixture.ts';
import { createLogStore } from './log.store.ts';
import { createStamp } from './log-record.ts';
import { maxStoredResults, pruneResults, saveResult } from './run-results.ts';

let fixture: ChangeLogFixture;
let pool: Pool;

beforeAll(async () => {
  fixture = await createChangeLogFixture();
  pool = createPool(fixture.url, { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await fixture.drop();
});
beforeEach(() => pool.query('truncate __logging_log__'));

const stamp = createStamp('00000000-0000-4000-8000-000000000000');
const readLines = (count: number) =>
  Array.from({ length: count }, (_, index) => stamp({ key: 'INFO', value: String(index) }));
const stored = async () =>
  (await pool.query<{ value: string }>('select value from __logging_log__ order by time, _id_')).rows.map(
    ({ value }) => value,
  );

it('stores records added in many small steps in order once flushed', async () => {
  const store = createLogStore(pool);
  const lines = readLines(300);
  for (const line of lines) store.add([line]);
  const flushed = store.flush();
  store.add(readLines(1));
  await flushed;
  await store.flush();
  expect(await stored()).toEqual([...lines.map(({ value }) => value), '0']);
  await store.close();
});

it('keeps only the newest rows', async () => {
  const store = createLogStore(pool, { maxStoredRows: 10 });
  store.add(readLines(25));
  await store.flush();
  expect(await stored()).toEqual(Array.from({ length: 10 }, (_, index) => String(index + 15)));
  await store.close();
});

it('retains records it could not write and writes them once when it can', async () => {
  const store = createLogStore(pool);
  await pool.query('alter table __logging_log__ rename to away');
  store.add(readLines(3));
  await expect(store.flush()).rejects.toThrow('does not exist');
  await pool.query('alter table away rename to __logging_log__');
  await store.flush();
  expect(await stored()).toEqual(['0', '1', '2']);
  await store.close();
});

it('limits the number of stored function results', async () => {
  const result = (index: number) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    qualifiedName: 'A:b',
    schedule: '* * * * *',
    started: new Date(1_700_000_000_000 + index),
    finished: new Date(1_700_000_000_000 + index),
    success: true,
    error: null,
    stackTrace: null,
  });
  await saveResult(pool, ...Array.from({ length: 2_100 }, (_, index) => result(index)));
  await pruneResults(pool, maxStoredResults);
  const { rows } = await pool.query('select count(*)::int as kept from __scheduled_function_result__');
  expect(rows).toEqual([{ kept: 2_000 }]);
});
