import { randomUUID } from 'node:crypto';
import { lockingViewDdl, wasViewRunSql } from '@portal/platforms/helium-database/locking-view.fixture';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { schema } from '../../helium/helium-gateway.fixture.ts';
import { createOperations } from '../../operations/operations.ts';
import { requestLookAgain } from '../../sync-state/look-again.store.ts';
import { startResponseProxy } from '../testing/response-proxy.fixture.ts';
import { quickRateLimiter } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});

afterEach(() => world.stop());

const requestComparison = () =>
  world.helium.pool.query('update __portal_sync__.run set comparison_requested_at = now()');

test('carries out a comparison that was requested before the integration ever ran', async () => {
  await world.helium.pool.query(`insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), 'Lusaka')`, [
    randomUUID(),
  ]);
  await createOperations(world.databases, quickRateLimiter()).requestComparison(world.integration);
  world.start();
  await expect.poll(() => world.log).toContain('INFO Compared region: 1 record, all equal.');
});

/** Texts that differ only behind the length of a file's hash. */
const longStart = 'x'.repeat(100);

test('finds and repairs differences that no log reports', async () => {
  const [unchangedId, deletedId, changedId] = [randomUUID(), randomUUID(), randomUUID()];
  const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), $2)`;
  const asItWas = `${longStart} as it was`;
  for (const id of [unchangedId, deletedId, changedId]) await world.helium.pool.query(insert, [id, asItWas]);
  const run = world.start();
  await world.waitUntilEqual();

  const session = await world.helium.connect();
  // A restore, or a manual repair with triggers off, causes this.
  await session.query('set session_replication_role = replica');
  await session.query('delete from region where _id_ = $1', [deletedId]);
  await session.query(`update region set name = '${longStart} behind the log' where _id_ = $1`, [changedId]);
  await requestComparison();
  run.wake();

  await expect.poll(() => world.log).toContain('WARNING Compared region: 3 records, 2 differed and were repaired.');
  await world.waitUntilEqual();
  const operations = createOperations(world.databases, quickRateLimiter());
  await expect
    .poll(async () => (await operations.readDrift(world.integration)).filter(({ table }) => table === 'region'))
    .toMatchObject([{ helium: 2, journey: 3, drifted: 2 }]);
  expect(await world.journeyRows()).toEqual({
    [`region/${unchangedId}`]: { name: asItWas, code: null },
    [`region/${changedId}`]: { name: `${longStart} behind the log`, code: null },
  });
  // It may not be what anyone wanted.
  expect(await world.conflicts()).toMatchObject([
    { id: changedId, column: 'name', helium: `${longStart} behind the log`, journey: asItWas, winner: 'helium' },
  ]);
});

test("keeps both values of a record that changed in Journey behind the op-log, and only the device's of one that it edited", async () => {
  const [changedId, editedId] = [randomUUID(), randomUUID()];
  const put = (id: string, name: string) => world.edit({ method: 'put', object: { type: 'region', id, name } });
  await put(changedId, `${longStart} as it was`);
  world.deployment.setClockSkew(5_000);
  await put(editedId, 'first');
  const run = world.start();
  await world.waitUntilEqual();
  const change = `update object set contents = jsonb_set(contents, '{name}', to_jsonb($2::text)) where id = $1`;
  await world.journeySql(change, [changedId, `${longStart} behind the log`]);
  await world.journeySql(change, [editedId, 'just edited']);
  await requestComparison();
  run.wake();
  await expect.poll(() => world.log).toContain('WARNING Compared region: 2 records, 2 differed and were repaired.');
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toEqual({
    [`region/${changedId}`]: { name: `${longStart} behind the log`, code: null },
    [`region/${editedId}`]: { name: 'just edited', code: null },
  });
  expect(await world.conflicts()).toMatchObject([
    {
      id: changedId,
      column: 'name',
      helium: `${longStart} as it was`,
      journey: `${longStart} behind the log`,
      winner: 'journey',
    },
  ]);
});

test('lists no edit that Helium has logged and that is not read yet', async () => {
  const id = randomUUID();
  const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), $2)`;
  await world.helium.pool.query(insert, [id, 'first']);
  const run = world.start();
  await world.waitUntilEqual();
  // Until it commits, the change log is not read on.
  const writer = await world.helium.connect();
  await writer.query('begin');
  await writer.query(insert, [randomUUID(), 'uncommitted']);
  await world.helium.pool.query(`update ${schema}.region set name = 'edited' where _id_ = $1`, [id]);
  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  await requestLookAgain(world.helium.pool, rows[0]?.state_id, [{ table: 'region', id }]);
  run.wake();
  await expect.poll(async () => (await world.sql('select from __portal_sync__.look_again')).rowCount).toBe(0);
  await writer.query('commit');
  await world.waitUntilEqual();
  expect(await world.journeyRows()).toMatchObject({ [`region/${id}`]: { name: 'edited' } });
  expect(await world.conflicts()).toEqual([]);
});

test('neither syncs nor compares a view with the name of a model, and never runs it', async () => {
  const model =
    '<model name="report" label="Report"><field name="name" label="Name" type="text"/><display>{name}</display></model>';
  const withView = await createSyncWorld({
    sql: lockingViewDdl('report'),
    schemaXml: worldSchemaXml.replace('</data-model>', `${model}</data-model>`),
  });
  onTestFinished(() => withView.stop());
  await withView.edit(
    { method: 'put', object: { type: 'report', id: randomUUID(), name: 'weekly' } },
    { method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } },
  );
  const run = withView.start();
  await withView.waitUntilEqual();
  await withView.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
  await expect.poll(() => withView.log).toContain('INFO Compared region: 1 record, all equal.');
  expect((await withView.sql(wasViewRunSql)).rows).toEqual([{ wasRun: false }]);
});

test('compares after a restart what was requested before it, also when it was being compared', async () => {
  await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } });
  const run = world.start();
  await world.waitUntilEqual();
  const { faults } = world.journey;
  faults.set({ mode: 'hang', path: '/objects/', times: 1 });
  await requestComparison();
  run.wake();
  await expect.poll(() => faults.list()).toEqual([]);
  await run.stop();
  world.start();
  await expect.poll(() => world.log).toContain('INFO Compared region: 1 record, all equal.');
  const readRequests = async () =>
    (await world.sql('select comparison_requested_at as at from __portal_sync__.run')).rows;
  await expect.poll(readRequests).toEqual([{ at: null }]);
});

test('repairs nothing when both sides are equal', async () => {
  await world.deployment.device.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } });
  const run = world.start();
  await world.waitUntilEqual();
  await requestComparison();
  run.wake();
  await expect.poll(() => world.log).toContain('INFO Compared region: 1 record, all equal.');
});

test('repairs an old record deleted, created again and deleted in one transaction, which Helium does not log', async () => {
  const id = randomUUID();
  const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ('${id}', now(), 'old');`;
  await world.helium.pool.query(insert);
  // Without it, the object would become empty, which only an operator may decide.
  const otherId = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: otherId, name: 'other' } });
  const run = world.start();
  await world.waitUntilEqual();
  const { rowCount } = await world.helium.pool.query(`select from ${schema}.__he_sync_obj_change__`);

  const remove = `delete from ${schema}.region where _id_ = '${id}';`;
  await world.helium.pool.query(`begin; ${remove} ${insert} ${remove} commit`);
  expect((await world.helium.pool.query(`select from ${schema}.__he_sync_obj_change__`)).rowCount).toBe(rowCount);
  await requestComparison();
  run.wake();
  await expect.poll(() => world.log).toContain('WARNING Compared region: 2 records, 1 differed and were repaired.');
  await world.waitUntilEqual();
  expect(Object.keys(await world.journeyRows())).toEqual([`region/${otherId}`]);
});

test("logs a comparison that an app's transaction blocks, and keeps the integration running", async () => {
  const id = randomUUID();
  await world.deployment.device.edit({ method: 'put', object: { type: 'region', id, name: 'South' } });
  const run = world.start();
  await world.waitUntilEqual();
  const session = await world.helium.connect();
  await session.query(`begin; lock table ${schema}.region in access exclusive mode`);
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  await requestComparison();
  run.wake();
  // Like a statement timeout.
  const cancelWaiting = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and $1 = any (pg_blocking_pids(pid))`;
  await expect.poll(async () => (await world.helium.pool.query(cancelWaiting, [rows[0]?.pid])).rowCount).toBe(1);
  await expect
    .poll(() => world.log)
    .toContainEqual(expect.stringMatching(/^WARNING The comparison .* was interrupted/));
  await session.query('rollback');
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'Far South' } });
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toEqual({ [`region/${id}`]: { name: 'Far South', code: null } });
});

test('runs the next comparison one day after the last, however often the run restarts', async () => {
  await world.deployment.device.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } });
  const compared = () => world.log.filter((line) => line === 'INFO Compared region: 1 record, all equal.').length;
  const run = world.start();
  await world.waitUntilEqual();
  await requestComparison();
  run.wake();
  // Reported with the last table.
  await expect.poll(() => world.log).toContain('INFO Compared visit: 0 records, all equal.');
  await run.stop();
  expect(compared()).toBe(1);
  await world.helium.pool.query(`update __portal_sync__.comparison set at = now() - interval '25 hours'`);
  world.start();
  await expect.poll(compared).toBe(2);
});

test('keeps what a device writes while a difference is being repaired', async () => {
  const proxy = await startResponseProxy(world);
  const id = randomUUID();
  // Long ago by Helium's log, because Helium wins when both sides differ from the known state and
  // its edit is not earlier.
  const insert = `with inserted as (
      insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), 'first') returning _tx_id_
    )
    insert into ${schema}.__he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after)
    select _tx_id_, now() - interval '1 hour', 0, 0 from inserted`;
  await world.helium.pool.query(insert, [id]);
  const run = world.start(proxy.through);
  await world.waitUntilEqual();
  // As if an op-log entry was never received: the known state differs from Journey.
  await world.helium.pool.query(
    `update __portal_sync__.record set journey = jsonb_set(journey::jsonb, '{name}', '"known by mistake"')`,
  );
  let listings = 0;
  const listing = proxy.hold((path) => {
    if (path.includes('region') && path.includes('query')) listings += 1;
    return listings === 2;
  });
  await requestComparison();
  run.wake();
  await listing.held;
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'by the device' } });
  await expect.poll(() => world.heliumRows()).toEqual({ [`region/${id}`]: { name: 'by the device', code: null } });
  listing.release();
  await expect.poll(() => world.log).toContainEqual(expect.stringMatching(/Compared region: 1 record/));
  await world.waitUntilEqual();
  expect(await world.journeyRows()).toEqual({ [`region/${id}`]: { name: 'by the device', code: null } });
  await proxy.stop();
});

test('compares page by page when only one side has the records, and asks once about all of them', async () => {
  const count = 600;
  await world.helium.pool.query(
    `insert into ${schema}.region (_id_, _tstamp_, name) select gen_random_uuid(), now(), no from generate_series(1, $1) no`,
    [count],
  );
  const run = world.start();
  await world.waitUntilEqual();
  const session = await world.helium.connect();
  await session.query(`set session_replication_role = replica; delete from ${schema}.region`);
  await requestComparison();
  run.wake();
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  const question = await createOperations(world.databases, quickRateLimiter()).readQuestion(world.integration);
  expect(question).toMatchObject({ kind: 'deletions', known: 600, absent: 600 });
  expect(Object.keys(await world.journeyRows())).toHaveLength(600);
});
