/** What a list of Journey's objects says, next to the op-log. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

test('restores the records that a list lacked once, when the next one has them', async () => {
  const ids = Array.from({ length: 30 }, () => randomUUID());
  for (const id of ids) await insertRegion(world, `region ${id}`, null, id);
  const run = world.start();
  await world.waitUntilEqual();
  const rows = await world.heliumRows();
  const compare = async () => {
    await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
    run.wake();
  };

  const { rows: objects } = await world.journeySql('delete from object where id = any($1) returning *', [
    ids.slice(0, 3),
  ]);
  await compare();
  await waitForLog(world, /Compared region: 30 records, 3 differed/);
  await world.journeySql('insert into object select * from jsonb_populate_recordset(null::object, $1)', [
    JSON.stringify(objects),
  ]);
  await compare();
  await expect.poll(() => world.heliumRows(), { timeout: 60_000 }).toEqual(rows);
  await world.waitUntilEqual();
  expect(await world.journeyRows()).toEqual(rows);
});

test.each(['later', 'journey'] as const)(
  'does not treat our own write as an edit when it is listed and was written twice in one second (%s)',
  async (conflictPolicy) => {
    const twoWay = (config: SyncWorld['integration']['config']) => ({ ...config, conflictPolicy });
    const toJourneyOnly = (config: SyncWorld['integration']['config']) => ({
      ...twoWay(config),
      enableJourneyToHelium: false,
    });
    const id = await insertRegion(world, 'base');
    const first = world.start(twoWay);
    await world.waitUntilEqual();
    await first.stop();

    const second = world.start(toJourneyOnly);
    for (const name of ['ours 1', 'ours 2']) {
      await renameRegion(world, id, name);
      await expect
        .poll(() => world.journeyRows(), { timeout: 60_000 })
        .toEqual({ [`region/${id}`]: regionFields(name) });
    }
    // It remembers the last entry, whose time stays: an earlier one with another time would be
    // another.
    await waitUntil(async () => {
      const { rows: runs } = await world.sql('select op_log_point as point from __portal_sync__.run');
      const { rows: ends } = await world.journeySql('select max(sequence)::text as last from op_log');
      return runs[0]?.point?.sequence === ends[0]?.last;
    });
    await second.stop();
    // As if both had arrived within one second.
    for (const table of ['op_log', 'object'])
      await world.journeySql(
        `update ${table} set updated_at = (select updated_at from object where id = $1)
         where id = $1 and contents::text like '%ours%'`,
        [id],
      );
    await renameRegion(world, id, 'ours 3');
    world.start(twoWay);
    await expectAtRest(world, { [`region/${id}`]: regionFields('ours 3') });
    expect(await world.conflicts()).toEqual([]);
  },
);
