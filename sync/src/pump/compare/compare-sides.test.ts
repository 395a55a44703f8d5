import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { schema } from '../../helium/helium-gateway.fixture.ts';
import { createOperations } from '../../operations/operations.ts';
import { alterAnswers } from '../faults/altered-answers.fixture.ts';
import { quickPace } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});

afterEach(() => world.stop());

const wishAudit = () => world.helium.pool.query('update __portal_sync__.run set comparison_requested_at = now()');

test('what no log tells of is found by comparing both sides, and mended', async () => {
  const [kept, gone, changed] = [randomUUID(), randomUUID(), randomUUID()];
  const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), $2)`;
  for (const id of [kept, gone, changed]) await world.helium.pool.query(insert, [id, 'as it was']);
  const run = world.start();
  await world.untilEqual();

  const session = await world.helium.connect();
  // As a restore, or somebody's repair with triggers off, would do it.
  await session.query('set session_replication_role = replica');
  await session.query('delete from region where _id_ = $1', [gone]);
  await session.query(`update region set name = 'behind the log' where _id_ = $1`, [changed]);
  await wishAudit();
  run.wake();

  await expect.poll(() => world.log).toContain('WARNING Compared region: 3 records, 2 differed and are mended.');
  await world.untilEqual();
  const operations = createOperations(world.databases, quickPace());
  await expect
    .poll(async () => (await operations.readDrift(world.integration)).filter(({ table }) => table === 'region'))
    .toMatchObject([{ helium: 2, journey: 3, drifted: 2 }]);
  expect(await world.journeyRows()).toEqual({
    [`region/${kept}`]: { name: 'as it was', code: null },
    [`region/${changed}`]: { name: 'behind the log', code: null },
  });
});

test('a comparison of what is equal mends nothing', async () => {
  await world.deployment.device.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } });
  const run = world.start();
  await world.untilEqual();
  await wishAudit();
  run.wake();
  await expect.poll(() => world.log).toContain('INFO Compared region: 1 record, all equal.');
});

test('an old record deleted, made anew and deleted again in one transaction, of which Helium logs nothing, is mended too', async () => {
  const id = randomUUID();
  const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ('${id}', now(), 'old');`;
  await world.helium.pool.query(insert);
  const run = world.start();
  await world.untilEqual();
  const { rowCount } = await world.helium.pool.query(`select from ${schema}.__he_sync_obj_change__`);

  const remove = `delete from ${schema}.region;`;
  await world.helium.pool.query(`begin; ${remove} ${insert} ${remove} commit`);
  expect((await world.helium.pool.query(`select from ${schema}.__he_sync_obj_change__`)).rowCount).toBe(rowCount);
  await wishAudit();
  run.wake();
  await expect.poll(() => world.log).toContain('WARNING Compared region: 1 record, 1 differed and are mended.');
  await world.untilEqual();
  expect(await world.journeyRows()).toEqual({});
});

test('a comparison that an app’s own transaction keeps from reading is told of, and stops nothing', async () => {
  const id = randomUUID();
  await world.deployment.device.edit({ method: 'put', object: { type: 'region', id, name: 'South' } });
  const run = world.start();
  await world.untilEqual();
  const session = await world.helium.connect();
  await session.query(`begin; lock table ${schema}.region in access exclusive mode`);
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  await wishAudit();
  run.wake();
  // As a statement that has waited too long ends.
  const cancelWaiting = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and $1 = any (pg_blocking_pids(pid))`;
  await expect.poll(async () => (await world.helium.pool.query(cancelWaiting, [rows[0]?.pid])).rowCount).toBe(1);
  await expect.poll(() => world.log).toContainEqual(expect.stringMatching(/^WARNING The comparison .* was broken off/));
  await session.query('rollback');
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'Far South' } });
  await world.untilEqual();
  expect(await world.heliumRows()).toEqual({ [`region/${id}`]: { name: 'Far South', code: null } });
});

test('a day after the last comparison the next one comes, however often it was started since', async () => {
  await world.deployment.device.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } });
  const compared = () => world.log.filter((line) => line === 'INFO Compared region: 1 record, all equal.').length;
  const run = world.start();
  await world.untilEqual();
  await wishAudit();
  run.wake();
  // With the last of the tables.
  await expect.poll(() => world.log).toContain('INFO Compared visit: 0 records, all equal.');
  await run.stop();
  expect(compared()).toBe(1);
  await world.helium.pool.query(`update __portal_sync__.comparison set at = now() - interval '25 hours'`);
  world.start();
  await expect.poll(compared).toBe(2);
});

test('what a device writes while a difference is mended is not written over', async () => {
  const answers = await alterAnswers(world);
  const id = randomUUID();
  // Long ago: of two sides that both differ from what is known, and changed in the same second,
  // Helium wins.
  const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now() - interval '1 hour', 'first')`;
  await world.helium.pool.query(insert, [id]);
  const run = world.start(answers.through);
  await world.untilEqual();
  // As if an entry of the op-log had never come: what is known is not what Journey has.
  await world.helium.pool.query(
    `update __portal_sync__.record set journey = jsonb_set(journey, '{name}', '"known by mistake"')`,
  );
  let listings = 0;
  const listing = answers.hold((path) => {
    if (path.includes('region') && path.includes('query')) listings += 1;
    return listings === 2;
  });
  await wishAudit();
  run.wake();
  await listing.held;
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'by the device' } });
  await expect.poll(() => world.heliumRows()).toEqual({ [`region/${id}`]: { name: 'by the device', code: null } });
  listing.release();
  await expect.poll(() => world.log).toContainEqual(expect.stringMatching(/Compared region: 1 record/));
  await world.untilEqual();
  expect(await world.journeyRows()).toEqual({ [`region/${id}`]: { name: 'by the device', code: null } });
  await answers.stop();
});

test('compares page by page, also where only one side has the records', async () => {
  const many = 600;
  await world.helium.pool.query(
    `insert into ${schema}.region (_id_, _tstamp_, name) select gen_random_uuid(), now(), no from generate_series(1, $1) no`,
    [many],
  );
  const run = world.start();
  await world.untilEqual();
  const session = await world.helium.connect();
  await session.query(`set session_replication_role = replica; delete from ${schema}.region`);
  await wishAudit();
  run.wake();
  await expect.poll(() => world.log).toContain(`WARNING Compared region: 600 records, 600 differed and are mended.`);
  await world.untilEqual();
  expect(await world.journeyRows()).toEqual({});
});
