import { createPool } from '@portal/kit/postgres/pool';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { changeLogDdl } from '@portal/simulators/helium/change-log-ddl';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDatabaseWatch, type DatabaseWatch, type WatchClock } from './database-watch.ts';
import { createHeliumFixture, type HeliumFixture, newId, schema, tableDdl } from './helium-gateway.fixture.ts';
import { changeLog } from './sql-names.ts';

const pace = { activeMs: 20, lingerMs: 0, idleMs: 500, dormantMs: 500 };

let fixture: HeliumFixture;
let watch: DatabaseWatch;
let clock: ReturnType<typeof createSteppedClock>;

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { region: ['name text'] } });
});
afterAll(() => fixture.drop());
beforeEach(() => {
  clock = createSteppedClock();
  watch = createDatabaseWatch({ pool: fixture.pool, clock, ...pace });
});
afterEach(() => watch.close());

/** A clock that advances only by steps, each to the end of the next poll. */
function createSteppedClock(): WatchClock & { step(): Promise<number> } {
  let nowMs = 0;
  let next: { readonly atMs: number; readonly run: () => void } | null = null;
  let onNext: () => void = () => undefined;
  return {
    now: () => nowMs,
    after(ms, run) {
      const mine = { atMs: nowMs + ms, run };
      next = mine;
      onNext();
      return () => {
        if (next === mine) next = null;
      };
    },
    /** Returns how long the watch waits after the poll. */
    async step() {
      const due = next;
      if (!due) throw new Error('No timer is set.');
      next = null;
      nowMs = due.atMs;
      const planned = new Promise<void>((resolve) => {
        onNext = resolve;
      });
      due.run();
      await planned;
      return (next ?? due).atMs - nowMs;
    },
  };
}

const insert = () => `insert into ${schema}.region (_id_, _tstamp_) values ('${newId()}', now())`;

it('reports the current head of the change log, then each time it has grown', async () => {
  const heads: string[] = [];
  watch.watch(schema, (head) => heads.push(head));
  await clock.step();
  const before = await fixture.gateway.readHead();
  expect(heads).toEqual([before]);
  await clock.step();
  await fixture.pool.query(insert());
  await clock.step();
  expect(heads).toEqual([before, await fixture.gateway.readHead()]);
});

it('polls less often while nothing changes, and more often after a change', async () => {
  watch.watch(schema, () => undefined);
  expect(await clock.step()).toBe(20);
  const waits = [];
  for (let step = 0; step < 6; step += 1) waits.push(await clock.step());
  expect(waits).toEqual([40, 80, 160, 320, 500, 500]);
  await fixture.pool.query(insert());
  expect(await clock.step()).toBe(20);
});

it('keeps the active interval for a while after a change when configured', async () => {
  const own = createDatabaseWatch({ pool: fixture.pool, clock, ...pace, lingerMs: 70 });
  own.watch(schema, () => undefined);
  const waits = [];
  for (let step = 0; step < 6; step += 1) waits.push(await clock.step());
  expect(waits).toEqual([20, 20, 20, 20, 40, 80]);
  own.close();
});

it('polls even less after half a minute without changes when configured', async () => {
  const own = createDatabaseWatch({ pool: fixture.pool, clock, ...pace, idleMs: 10_000, dormantMs: 60_000 });
  own.watch(schema, () => undefined);
  await clock.step();
  const waits = [];
  for (let step = 0; step < 14; step += 1) waits.push(await clock.step());
  expect(waits.slice(-6)).toEqual([10_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  await fixture.pool.query(insert());
  expect(await clock.step()).toBe(20);
  own.close();
});

it('keeps polling for a drawn number until its commit', async () => {
  const heads: string[] = [];
  watch.watch(schema, (head) => heads.push(head));
  await clock.step();
  const writer = await fixture.connect();
  await writer.query(`begin; ${insert()}`);
  for (let step = 0; step < 20; step += 1) await clock.step();
  expect(heads).toHaveLength(1);
  await writer.query('commit');
  const head = await fixture.gateway.readHead();
  for (let step = 0; step < 4 && heads.length < 2; step += 1) await clock.step();
  expect(heads.slice(1)).toEqual([head]);
});

it('reads no head again while nothing was ever written', async () => {
  const fresh = await createHeliumFixture({ tables: { region: ['name text'] } });
  const single = createPool(fresh.url, { applicationName: 'watch', max: 1 });
  const own = createDatabaseWatch({ pool: single, clock, ...pace });
  const countReads = async () => {
    await single.query('select pg_stat_force_next_flush()');
    const { rows } = await single.query(
      'select (seq_scan + idx_scan)::int as reads from pg_stat_user_tables where relname = $1',
      [changeLog],
    );
    return rows[0].reads;
  };
  const heads: string[] = [];
  own.watch(schema, (head) => heads.push(head));
  await clock.step();
  const before = await countReads();
  for (let step = 0; step < 20; step += 1) await clock.step();
  expect([heads, await countReads()]).toEqual([['0'], before]);
  own.close();
  await single.end();
  await fresh.drop();
});

it('reports nothing while the database is unreachable, and the missed change afterwards', async () => {
  const { pool, url } = fixture;
  const closable = createPool(url, { applicationName: 'watch', connectTimeoutMs: 1_000 });
  const own = createDatabaseWatch({ pool: closable, clock, ...pace });
  const heads: string[] = [];
  own.watch(schema, (head) => heads.push(head));
  await clock.step();
  const database = new URL(url).pathname.slice(1);
  await pool.query(insert());
  const elsewhere = new pg.Client(getTestPostgresUrl());
  await elsewhere.connect();
  await elsewhere.query(`alter database ${database} allow_connections false`);
  await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'watch'`);
  await clock.step();
  await clock.step();
  expect(heads).toHaveLength(1);
  await elsewhere.query(`alter database ${database} allow_connections true`);
  await clock.step();
  expect(heads.slice(1)).toEqual([await fixture.gateway.readHead()]);
  await elsewhere.end();
  own.close();
  await closable.end();
});

it('still reports other apps when one was dropped', async () => {
  const heads: string[] = [];
  watch.watch('gone__app_001', () => heads.push('gone'));
  watch.watch(schema, (head) => heads.push(head));
  await clock.step();
  expect(heads).toEqual([await fixture.gateway.readHead()]);
});

it('still reports other apps while the change log of one is locked', async () => {
  const other = 'other__app_001';
  const session = await fixture.connect();
  await session.query(`create schema ${other}; set search_path to ${other}`);
  await session.query(`${changeLogDdl(other)}; ${tableDdl('region', ['name text'])}`);
  const limited = createPool(fixture.url, { applicationName: 'watch', lockTimeoutMs: 50 });
  const own = createDatabaseWatch({ pool: limited, clock, ...pace });
  const [heads, otherHeads]: [string[], string[]] = [[], []];
  own.watch(schema, (head) => heads.push(head));
  own.watch(other, (head) => otherHeads.push(head));
  await clock.step();
  expect([heads, otherHeads]).toEqual([[await fixture.gateway.readHead()], ['0']]);

  await session.query(`begin; ${insert().replace(schema, other)}; lock table ${changeLog} in access exclusive mode`);
  for (const round of [2, 3]) {
    await fixture.pool.query(insert());
    for (let step = 0; step < 3 && heads.length < round; step += 1) await clock.step();
    expect(heads).toHaveLength(round);
  }
  expect(otherHeads).toEqual(['0']);
  await session.query('commit');
  for (let step = 0; step < 3 && otherHeads.length < 2; step += 1) await clock.step();
  expect(otherHeads).toHaveLength(2);
  own.close();
  await limited.end();
});

it('finds an app that is created later, and one that is re-created', async () => {
  const heads: string[] = [];
  watch.watch('late__app_001', (head) => heads.push(head));
  const nextHeads = async (times: number) => {
    for (let step = 0; step < 100 && heads.length < times; step += 1) await clock.step();
    return heads;
  };
  await clock.step();
  const make = (head: number) => `drop schema if exists late__app_001 cascade; create schema late__app_001;
    create sequence late__app_001.__he_sync_change_seq__ start ${head};
    create table late__app_001.__he_sync_obj_change__ as
      select nextval('late__app_001.__he_sync_change_seq__') as seq`;
  await fixture.pool.query(make(7));
  expect(await nextHeads(1)).toEqual(['7']);
  await fixture.pool.query(make(3));
  expect(await nextHeads(2)).toEqual(['7', '3']);
});

it('calls no listener after it was closed', async () => {
  const heads: string[] = [];
  const other: string[] = [];
  const stop = watch.watch(schema, (head) => heads.push(head));
  watch.watch(schema, (head) => other.push(head));
  stop();
  await clock.step();
  expect([heads, other.length]).toEqual([[], 1]);
});
