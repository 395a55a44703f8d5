/**
 * Entries of Journey's op-log that are no change of a record. Each waits for an operator alone, and
 * everything else flows in both directions.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { markSkipped, requestRetry } from '../../../sync-state/operations.store.ts';
import { insertRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;
afterEach(async () => {
  await world.stopRuns();
  await proxy.stop();
  await world.stop();
});

test('holds an entry without a UUID, with an unknown operation or without an object, and syncs all others', async () => {
  world = await createSyncWorld();
  proxy = await startResponseProxy(world);
  const [foreign, merged, removed] = [
    randomUUID(),
    await insertRegion(world, 'before'),
    await insertRegion(world, 'x'),
  ];
  const run = world.startWithRestarts(proxy.through);
  await world.waitUntilEqual();
  proxy.alter(`"${foreign}"`, '"no-uuid"');
  proxy.alter('"operation":"update"', '"operation":"merge"');
  proxy.alter('"operation":"delete","events":[],"object":{', '"operation":"delete","events":[],"thing":{');
  await world.edit({ method: 'put', object: { type: 'region', id: foreign, name: 'foreign' } });
  await world.edit({ method: 'patch', object: { type: 'region', id: merged, name: 'merged' } });
  await world.edit({ method: 'delete', object: { type: 'region', id: removed } });
  const good = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: good, name: 'good' } });
  await waitUntil(async () => `region/${good}` in (await world.heliumRows()));
  const sent = await insertRegion(world, 'sent');
  await waitUntil(async () => `region/${sent}` in (await world.journeyRows()));

  const entry = /^0{8}-0{4}-0{4}-0{4}-\d{12}$/;
  const reason = (text: string) =>
    expect.stringMatching(new RegExp(`^Entry \\d+ of Journey's op-log cannot be read: ${text}\\.$`));
  const held = await world.held();
  expect(held).toHaveLength(3);
  expect(held).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ state: 'dead', table: 'region', reason: reason('the id "no-uuid" is not a UUID') }),
      expect.objectContaining({
        state: 'dead',
        table: 'region',
        id: merged,
        reason: reason('its operation is "merge"'),
      }),
      expect.objectContaining({
        table: 'op-log',
        id: expect.stringMatching(entry),
        reason: reason('its object has no id and no type'),
      }),
    ]),
  );
  expect(run.interruptions).toEqual([]);

  // A retry reads the object as it is, where the entry names one, and stays in vain otherwise.
  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  await requestRetry(world.helium.pool, rows[0].state_id, { numbers: held.map(({ no }) => no), kind: null });
  run.wake();
  await waitUntil(async () => (await world.heliumRows())[`region/${merged}`]?.name === 'merged');
  await waitUntil(async () => {
    const left = await world.held();
    return left.length === 2 && left.every(({ attempts, nextAttempt }) => attempts === 2 && nextAttempt === null);
  });
  const left = await world.held();
  await markSkipped(world.helium.pool, rows[0].state_id, { numbers: left.map(({ no }) => no), kind: null });
  expect(new Set((await world.held()).map(({ state }) => state))).toEqual(new Set(['skipped']));
});
