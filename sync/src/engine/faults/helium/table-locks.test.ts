/** An administrator changes the app's tables while the engine reads them. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectAtRest, insertRegion, regionFields, waitUntil } from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let run: TestRun;
let clerk: pg.Client;
let admin: pg.Client;

beforeEach(async () => {
  world = await createSyncWorld();
  [clerk, admin] = [await world.helium.connect(), await world.helium.connect()];
  run = world.start();
});
afterEach(async () => {
  await Promise.all([clerk.end(), admin.end()]);
  await run.stop();
  await world.stop();
});

const isWaiting = async (condition: string) => {
  const { rowCount } = await world.sql(
    `select from pg_locks join pg_stat_activity using (pid)
     where not granted and relation = '$s.farmer'::regclass and ${condition}`,
  );
  return (rowCount ?? 0) > 0;
};

/**
 * Each session checks for deadlocks once while it waits. After the engine's check, only that of the
 * administrator is left, which would abort the administrator.
 */
const hasEngineChecked = () =>
  isWaiting(`application_name like 'portal-sync%'
    and clock_timestamp() - waitstart > current_setting('deadlock_timeout')::interval`);

test('never aborts a session that alters two tables in the order opposite to the engine', async () => {
  const [region, farmer] = [await insertRegion(world, 'before'), randomUUID()];
  await world.sql('insert into $s.farmer (_id_, _tstamp_, name) values ($1, now(), $2)', [farmer, 'before']);
  await world.waitUntilEqual();
  // The engine reads both changes in one page, and only after the administrator has locked the
  // second table.
  await clerk.query('begin');
  await clerk.query(`update region set name = 'after' where _id_ = $1`, [region]);
  await clerk.query(`update farmer set name = 'after' where _id_ = $1`, [farmer]);
  await admin.query('begin');
  const alterFarmer = admin.query('alter table farmer add column note text');
  await waitUntil(() => isWaiting(`mode = 'AccessExclusiveLock'`));
  await clerk.query('commit');
  await alterFarmer;
  const hasGivenWay = () => world.log.some((line) => /Helium → Journey: The table farmer is locked: held/.test(line));
  await waitUntil(async () => hasGivenWay() || (await hasEngineChecked()));
  await admin.query('alter table region add column note text');
  await admin.query('rollback');
  await expectAtRest(world, {
    [`region/${region}`]: regionFields('after'),
    [`farmer/${farmer}`]: expect.objectContaining({ name: 'after' }),
  });
});
