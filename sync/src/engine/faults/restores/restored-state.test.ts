/** Restores of the databases that hold the engine's state and the integrations. */
import { randomUUID } from 'node:crypto';
import { inTransaction } from '@portal/kit/postgres/pool';
import { type SchemaCopy, takeSchemaCopy } from '@portal/kit/postgres/schema-copy.fixture';
import { describe, expect, test } from 'vitest';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import { restoreHeliumAndState } from '../../testing/backups.fixture.ts';
import { createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import { expectAtRest, insertRegion, regionFields, waitUntil } from '../../testing/fault-steps.fixture.ts';

createWorldForEachTest();

/**
 * Journey's clock runs ahead, so that the device's edit is later than Helium's by whole seconds.
 */
async function renameOnDevice(id: string): Promise<void> {
  world.deployment.setClockSkew(5_000);
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'from a device' } });
}

/** Commits a change of a region, and returns a backup of the moment before the engine sees it. */
async function backUpBeforeSync(isKnown: boolean): Promise<{ readonly id: string; readonly copy: SchemaCopy }> {
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live' && world.figures().journeySyncStatus === 'Live');
  const id = isKnown ? await insertRegion(world, 'first') : randomUUID();
  await world.waitUntilEqual();
  const sql = isKnown
    ? `update ${schema}.region set name = $2, _tstamp_ = now() where _id_ = $1`
    : `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), $2)`;
  const copy = await inTransaction(world.helium.pool, async (db) => {
    await db.query('set transaction isolation level repeatable read');
    await db.query(sql, [id, 'from Helium']);
    return takeSchemaCopy(db, [schema, '__portal_sync__']);
  });
  await world.waitUntilEqual();
  return { id, copy };
}

describe.each([
  { write: 'creation', isKnown: false },
  { write: 'change', isKnown: true },
])("keeps a device's edit of a record whose $write was sent after the backup", ({ isKnown }) => {
  test('when the database is restored under a running integration', async () => {
    const run = world.startWithRestarts();
    const { id, copy } = await backUpBeforeSync(isKnown);
    const { changeLogVersion } = world.figures();
    // While a poll of the op-log hangs, only Helium → Journey can notice the restore.
    world.journey.faults.set({ mode: 'hang', path: 'oplog', times: 1 });
    await waitUntil(() => world.journey.faults.list().length === 0);
    await restoreHeliumAndState(world, copy);
    await renameOnDevice(id);
    // What is sent again looks like the echo of what was sent before.
    await world.sql('update $s.region set _tstamp_ = _tstamp_ where _id_ = $1', [id]);
    await waitUntil(
      () => run.interruptions.length > 0 || BigInt(world.figures().changeLogVersion) > BigInt(changeLogVersion),
    );
    await expectAtRest(world, { [`region/${id}`]: regionFields('from a device') });
    await run.stop();
  });

  test('when the database of a stopped integration is restored', async () => {
    const first = world.start();
    const { id, copy } = await backUpBeforeSync(isKnown);
    await first.stop();
    await restoreHeliumAndState(world, copy);
    await renameOnDevice(id);
    // Helium → Journey has every chance to be first.
    world.journey.faults.set({ mode: 'error500', path: 'oplog', times: 8 });
    const run = world.startWithRestarts();
    await expectAtRest(world, { [`region/${id}`]: regionFields('from a device') });
    await run.stop();
  });
});

test('notices that the state was restored with the rows of Helium while nothing is left to do', async () => {
  const run = world.startWithRestarts((config) => ({ ...config, enableHeliumToJourney: false }));
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  const copy = await takeSchemaCopy(world.helium.pool, [schema, '__portal_sync__']);
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'from a device' } });
  const isInHelium = async () => Object.hasOwn(await world.heliumRows(), `region/${id}`);
  await waitUntil(isInHelium);
  await restoreHeliumAndState(world, copy);
  await waitUntil(isInHelium);
  await run.stop();
});

test("creates the engine's schema again when a restore removes it while the service runs", async () => {
  const run = world.startWithRestarts();
  const id = await insertRegion(world, 'before');
  await world.waitUntilEqual();
  await world.sql('drop schema __portal_sync__ cascade');
  const laterId = await insertRegion(world, 'after');
  await expectAtRest(world, { [`region/${id}`]: regionFields('before'), [`region/${laterId}`]: regionFields('after') });
  await run.stop();
});

test('halts an integration that ran with a later configuration, until it is enabled again', async () => {
  const first = world.start();
  await world.waitUntilEqual();
  await first.stop();
  await world.sql('update __portal_sync__.run set config_version = 7');
  const id = await insertRegion(world, 'changed since');
  expect(await world.start().ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/restored from an older backup: it has version 1 .* version 7 was already running/),
  });
  expect(await world.journeyRows()).toEqual({});
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionFields('changed since') });
});
