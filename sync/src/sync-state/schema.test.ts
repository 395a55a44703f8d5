import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasUnanswered, lastAcknowledged } from './intents.store.ts';
import { readRecords } from './records.store.ts';
import { dropRuns, takeRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { applicationName: 'portal sync test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** As the release before calls were kept had made it. */
const formerly = `
  drop index __portal_sync__.record_listed;
  drop table __portal_sync__.audit;
  alter table __portal_sync__.run drop column last_call, drop column open_calls;
  alter table __portal_sync__.intent drop column call;
  alter table __portal_sync__.record add foreign key (run) references __portal_sync__.run on delete cascade;
  alter table __portal_sync__.intent add foreign key (run) references __portal_sync__.run on delete cascade;
  comment on schema __portal_sync__ is null`;

it('what an earlier release has made is made whole, and what it kept is understood', async () => {
  await prepareState(pool);
  const { no: run } = await takeRun(pool, 'one', '1', { changeLog: '0', opLog: '0' });
  await pool.query(formerly);
  const id = '00000000-0000-4000-8000-000000000001';
  await pool.query(
    `insert into __portal_sync__.record (run, table_name, id, journey) values ($1, 'farm', $2, '{"a": 1}')`,
    [run, id],
  );
  for (const stage of ['ghost', 'acknowledged', 'sent'])
    await pool.query(
      `insert into __portal_sync__.intent (run, table_name, id, method, fields, stage) values ($1, 'farm', $2, 'patch', '{}', $3)`,
      [run, id, stage],
    );
  await Promise.all([prepareState(pool), prepareState(pool)]);
  const { rows } = await pool.query(
    `select to_regclass('__portal_sync__.record_listed') is not null as index, to_regclass('__portal_sync__.audit') is not null as audit,
       (select count(*)::int from pg_constraint where contype = 'f' and conrelid = '__portal_sync__.intent'::regclass) as keys`,
  );
  expect(rows).toEqual([{ index: true, audit: true, keys: 0 }]);
  const known = (await readRecords(pool, run, [{ table: 'farm', id }])).of({ table: 'farm', id });
  expect(known.journey).toEqual({ a: 1 });
  expect(known.intents.map(({ stage }) => stage)).toEqual(['ghost', 'acknowledged', 'sent']);
  expect(await hasUnanswered(pool, run)).toBe(true);
  expect(await lastAcknowledged(pool, run)).toBe(known.intents[1]?.no);
  await dropRuns(pool, 'one');
  const { rows: left } = await pool.query(
    'select from __portal_sync__.record union all select from __portal_sync__.intent',
  );
  expect(left).toEqual([]);
});

it('does nothing where all is as it should be: then no right to make anything is needed', async () => {
  await prepareState(pool);
  await pool.query(`drop role if exists portal_reader; create role portal_reader`);
  const client = await pool.connect();
  try {
    await client.query('set role portal_reader');
    await expect(prepareState(client)).resolves.toBeUndefined();
  } finally {
    await client.query('reset role; drop role portal_reader');
    client.release();
  }
});
