/** Someone changes the app's tables while the engine reads them. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestRun } from '../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { expectAtRest, insertRegion, regionFields, waitUntil } from './fault-steps.fixture.ts';

let world: SyncWorld;
let run: TestRun;
let clerk: pg.Client;
let person: pg.Client;

beforeEach(async () => {
  world = await createSyncWorld();
  [clerk, person] = [await world.helium.connect(), await world.helium.connect()];
  run = world.start();
});
afterEach(async () => {
  await Promise.all([clerk.end(), person.end()]);
  await run.stop();
  await world.stop();
});

const isAnyoneWaiting = async (condition: string) => {
  const { rowCount } = await world.sql(
    `select from pg_locks join pg_stat_activity using (pid)
     where not granted and relation = '$s.farmer'::regclass and ${condition}`,
  );
  return (rowCount ?? 0) > 0;
};

/** Each session looks for deadlocks once while it waits. After the engine, only the person does. */
const hasEngineLooked = () =>
  isAnyoneWaiting(`application_name like 'portal-sync%'
    and clock_timestamp() - waitstart > current_setting('deadlock_timeout')::interval`);

test('never aborts a person who changes two tables in the order opposite to the engine', async () => {
  const [region, farmer] = [await insertRegion(world, 'before'), randomUUID()];
  await world.sql('insert into $s.farmer (_id_, _tstamp_, name) values ($1, now(), $2)', [farmer, 'before']);
  await world.waitUntilEqual();
  // The engine reads both changes in one page, and only after the person has locked the second table.
  await clerk.query('begin');
  await clerk.query(`update region set name = 'after' where _id_ = $1`, [region]);
  await clerk.query(`update farmer set name = 'after' where _id_ = $1`, [farmer]);
  await person.query('begin');
  const alterFarmer = person.query('alter table farmer add column note text');
  await waitUntil(() => isAnyoneWaiting(`mode = 'AccessExclusiveLock'`));
  await clerk.query('commit');
  await alterFarmer;
  const hasGivenWay = () => world.log.some((line) => /Helium → Journey: The table farmer is locked: held/.test(line));
  await waitUntil(async () => hasGivenWay() || (await hasEngineLooked()));
  await person.query('alter table region add column note text');
  await person.query('rollback');
  await expectAtRest(world, {
    [`region/${region}`]: regionFields('after'),
    [`farmer/${farmer}`]: expect.objectContaining({ name: 'after' }),
  });
});
