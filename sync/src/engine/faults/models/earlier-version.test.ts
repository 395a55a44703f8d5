/**
 * An operator continues from version 0 or from an earlier one. What is there now is read again; no
 * old entry is repeated and nothing is deleted.
 */
import { randomUUID } from 'node:crypto';
import type { SyncDirection } from '@portal/contract/sync/records';
import { describe, expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import { createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import {
  deleteRegion,
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { worldSchemaXml } from '../../testing/sync-world.fixture.ts';

createWorldForEachTest();

const directions: readonly SyncDirection[] = ['helium-to-journey', 'journey-to-helium'];

const moveCursor = (direction: SyncDirection, version = '0') =>
  createOperations(world.databases, quickRateLimiter()).moveCursor(world.integration, {
    fence: world.nextFence(),
    direction,
    version,
  });

const readCursors = async () =>
  (
    await world.sql(
      'select change_log_cursor::text as "changeLog", op_log_cursor::text as "opLog" from __portal_sync__.run',
    )
  ).rows[0];

/** Later lines of the log are those of the next run. */
async function stop(run: TestRun): Promise<void> {
  await run.stop();
  world.log.length = 0;
}

const putRegion = (id: string, name: string) =>
  world.edit({ method: 'put', object: { type: 'region', id, name, code: null } });

test('merges edits that wait on both sides without a conflict, from version 0 in both directions', async () => {
  const run = world.start();
  const [heliumId, journeyId, deviceId] = [
    await insertRegion(world, 'one'),
    await insertRegion(world, 'two'),
    randomUUID(),
  ];
  await world.waitUntilEqual();
  await stop(run);
  await renameRegion(world, heliumId, 'one in Helium');
  await world.edit({ method: 'patch', object: { type: 'region', id: journeyId, name: 'two on a device' } });
  await putRegion(deviceId, 'new on a device');
  const newId = await insertRegion(world, 'new in Helium');
  for (const direction of directions) await moveCursor(direction);
  world.start();
  await expectAtRest(world, {
    [`region/${heliumId}`]: regionFields('one in Helium'),
    [`region/${journeyId}`]: regionFields('two on a device'),
    [`region/${deviceId}`]: regionFields('new on a device'),
    [`region/${newId}`]: regionFields('new in Helium'),
  });
  expect(await world.conflicts()).toEqual([]);
});

test.each(directions)('deletes nothing that one side lacks, from version 0 of %s', async (direction) => {
  const run = world.start();
  const ids = [await insertRegion(world, 'one'), await insertRegion(world, 'two')];
  await world.waitUntilEqual();
  await stop(run);
  if (direction === 'helium-to-journey') {
    const session = await world.helium.connect();
    await session.query('set session_replication_role = replica; delete from region');
  } else {
    await world.edit(...ids.map((id) => ({ method: 'delete' as const, object: { type: 'region', id } })));
  }
  await moveCursor(direction);
  world.start();
  await waitForLog(world, /full read complete/);
  await expectAtRest(world, {
    [`region/${ids[0]}`]: regionFields('one'),
    [`region/${ids[1]}`]: regionFields('two'),
  });
});

test.each([
  ['all rows', 'delete from region'],
  ['some rows', `delete from region where name <> 'one'`],
])('fills what Helium has lost without entries of its log, from version 0 of Journey: %s', async (_, loss) => {
  const run = world.start();
  const [one, two, deleted] = [
    await insertRegion(world, 'one'),
    await insertRegion(world, 'two'),
    await insertRegion(world, 'deleted'),
  ];
  await world.waitUntilEqual();
  await stop(run);
  await deleteRegion(world, deleted);
  const session = await world.helium.connect();
  await session.query(`set session_replication_role = replica; ${loss}`);
  await moveCursor('journey-to-helium');
  world.start();
  await waitForLog(world, /full read complete/);
  await expectAtRest(world, { [`region/${one}`]: regionFields('one'), [`region/${two}`]: regionFields('two') });
  expect(await world.conflicts()).toEqual([]);
});

test('repeats no old deletion from an earlier version of the op-log, and clears no reference', async () => {
  const run = world.start();
  // Entries older than a record's listing are ignored anyway.
  await waitForLog(world, /Journey → Helium: full read complete/);
  const [regionId, farmerId] = [randomUUID(), randomUUID()];
  await putRegion(regionId, 'first');
  await world.edit({ method: 'delete', object: { type: 'region', id: regionId } });
  // The deletion is alone in its page when the log is read again.
  for (let written = 0; written < 1_100; written += 100)
    await world.edit(
      ...Array.from({ length: 100 }, (_, index) => ({
        method: 'put' as const,
        object: { type: 'visit', id: randomUUID(), note: `${written + index}` },
      })),
    );
  await world.edit(
    { method: 'put', object: { type: 'region', id: regionId, name: 'again' } },
    { method: 'put', object: { type: 'farmer', id: farmerId, name: 'farmer', region_id: regionId } },
  );
  await world.waitUntilEqual();
  await stop(run);
  const before = await world.heliumRows();
  // A row that is deleted and created again loses what only Helium has.
  const { rows: created } = await world.sql('select _tx_id_ from $s.region');
  await moveCursor('journey-to-helium', '1');
  world.start();
  await waitForLog(world, /Journey → Helium: full read complete/);
  await expectAtRest(world, {});
  expect(await world.heliumRows()).toEqual(before);
  expect((await world.sql('select _tx_id_ from $s.region')).rows).toEqual(created);
  expect(await world.conflicts()).toEqual([]);
});

describe.each(directions)('version 0 of %s', (direction) => {
  test('keeps a paused object paused, and reads it in both directions once it is saved', async () => {
    const withoutCode = worldSchemaXml.replace('<field name="code" label="Code" type="integer"/>', '');
    const run = world.start();
    await insertRegion(world, 'region', 5);
    await world.waitUntilEqual();
    await world.deployment.deploy(withoutCode);
    await waitForLog(world, /SEVERE region is paused/);
    const [heliumId, deviceId, visitId] = [await insertRegion(world, 'made in Helium'), randomUUID(), randomUUID()];
    await world.edit(
      { method: 'put', object: { type: 'region', id: deviceId, name: 'made on a device' } },
      { method: 'put', object: { type: 'visit', id: visitId, note: 'others sync' } },
    );
    await waitUntil(async () => `visit/${visitId}` in (await world.heliumRows()));
    await stop(run);

    await moveCursor(direction);
    const paused = world.start();
    await waitForLog(world, /full read complete/);
    expect(await world.journeyRows()).not.toHaveProperty(`region/${heliumId}`);
    expect(await world.heliumRows()).not.toHaveProperty(`region/${deviceId}`);
    await paused.stop();

    await world.deployment.deploy(worldSchemaXml);
    Object.assign(world.integration, { configVersion: 2 });
    world.start();
    await expectAtRest(world, {
      [`region/${heliumId}`]: regionFields('made in Helium'),
      [`region/${deviceId}`]: regionFields('made on a device'),
    });
  });

  test('keeps the cursor and its entry, which prove that no side was restored', async () => {
    const run = world.start();
    const id = await insertRegion(world, 'region');
    await world.waitUntilEqual();
    await renameRegion(world, id, 'renamed');
    await world.waitUntilEqual();
    await stop(run);
    const points = `change_log_point = '{"seq": "1"}', op_log_point = '{"sequence": "1"}'`;
    await world.sql(`update __portal_sync__.run set ${points}`);
    const before = await readCursors();
    for (const version of ['1', '0']) await moveCursor(direction, version);
    expect(await readCursors()).toEqual(before);
    const { rows } = await world.sql(
      `select change_log_point->>'seq' as "changeLog", op_log_point->>'sequence' as "opLog" from __portal_sync__.run`,
    );
    expect(rows).toEqual([{ changeLog: '1', opLog: '1' }]);
  });
});

test('starts the other direction as configured when the integration has never run', async () => {
  Object.assign(world.integration.config.journeyToHelium, { oplogMinVersionAsString: '7' });
  await moveCursor('helium-to-journey', '3');
  expect(await readCursors()).toEqual({ changeLog: '3', opLog: '7' });
});

test('continues from a larger version, and leaves what is before it', async () => {
  const run = world.start();
  await insertRegion(world, 'synced');
  await world.waitUntilEqual();
  await stop(run);
  const skipped = await insertRegion(world, 'skipped');
  const { rows } = await world.sql('select max(seq)::text as head from $s.__he_sync_obj_change__');
  await moveCursor('helium-to-journey', rows[0].head);
  world.start();
  const id = await insertRegion(world, 'after');
  await waitUntil(async () => `region/${id}` in (await world.journeyRows()));
  expect(await world.journeyRows()).not.toHaveProperty(`region/${skipped}`);
  await deleteRegion(world, skipped);
});
