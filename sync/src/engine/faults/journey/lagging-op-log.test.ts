/** Journey's op-log lags behind what Journey acknowledged. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConflictPolicy } from '../../../record/merge.ts';
import {
  deleteRegion,
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;
let run: TestRun;

beforeEach(async () => {
  world = await createSyncWorld();
  proxy = await startResponseProxy(world);
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

const start = (policy: ConflictPolicy) =>
  world.start((config) => ({ ...proxy.through(config), conflictPolicy: policy }));

const inJourney = async (id: string) => (await world.journeyRows())[`region/${id}`];
const device = (id: string, change: object) =>
  world.edit({ method: 'patch', object: { type: 'region', id, ...change } });
const deleteInJourney = (id: string) => world.edit({ method: 'delete', object: { type: 'region', id } });

const countPolls = () => proxy.calls.filter((call) => call === 'GET oplog.json').length;
const countLookUps = () => proxy.calls.filter((call) => call === 'POST objects/region/query.json').length;

/** Waits until this many responses without a new entry have arrived. */
async function waitForPolls(polls: number): Promise<void> {
  const first = countPolls();
  await waitUntil(() => countPolls() > first + polls);
}

/** The operations that were sent more than once. */
function listRepeated(): string[] {
  return proxy.operations.filter((one, index) => proxy.operations.indexOf(one) !== index);
}

test.each(['later', 'journey'] as const)(
  'keeps edits of devices, sends nothing again and reports no false conflict, however long the op-log lags (%s)',
  async (policy) => {
    run = start(policy);
    for (const polls of [1, 5, 50]) {
      const ids = await Promise.all(
        ['changed', 'twice', 'deleted by device', 'again', 'deleted first'].map((name) => insertRegion(world, name)),
      );
      const [changed = '', twice = '', deleted = '', again = '', deletedFirst = ''] = ids;
      await world.waitUntilEqual();
      const earlierConflicts = (await world.conflicts()).length;

      await proxy.freezeOpLog();
      const created = await insertRegion(world, 'made in Helium', 5);
      await renameRegion(world, changed, 'B');
      await renameRegion(world, twice, 'B');
      await renameRegion(world, deleted, 'B');
      await deleteRegion(world, again);
      await deleteInJourney(deletedFirst);
      await renameRegion(world, deletedFirst, 'B');
      await waitUntil(async () => (await inJourney(created)) !== undefined && (await inJourney(again)) === undefined);
      await waitUntil(async () => (await inJourney(changed))?.name === 'B' && (await inJourney(deleted))?.name === 'B');
      await device(created, { name: 'edited on the device', code: 6 });
      await device(changed, { name: 'device, later' });
      await deleteInJourney(deleted);
      await waitForPolls(polls);
      await renameRegion(world, twice, 'C');
      await insertRegion(world, 'made again', null, again);
      await waitUntil(async () => (await inJourney(twice))?.name === 'C' && (await inJourney(again)) !== undefined);
      // The next run knows only what is stored.
      if (polls === 5) {
        await run.stop();
        run = start(policy);
      }
      await waitForPolls(polls);
      expect(await inJourney(changed)).toMatchObject({ name: 'device, later' });
      proxy.thawOpLog();

      await expectAtRest(world, {
        [`region/${created}`]: regionFields('edited on the device', 6),
        [`region/${changed}`]: regionFields('device, later'),
        [`region/${twice}`]: regionFields('C'),
        [`region/${again}`]: regionFields('made again'),
      });
      expect(Object.keys(await world.heliumRows())).not.toContain(`region/${deleted}`);
      // Both sides changed this one: the policy decides.
      const conflicts = (await world.conflicts()).slice(0, -earlierConflicts || undefined);
      expect(conflicts.map(({ id }) => id)).toEqual([deletedFirst]);
      expect(listRepeated()).toEqual([]);
      for (const id of Object.keys(await world.heliumRows())) await deleteRegion(world, id.replace('region/', ''));
      await world.waitUntilEqual();
      proxy.operations.length = 0;
    }
  },
);

test('reports how far the op-log is behind, asks Journey less and less often, and reports that it has caught up', async () => {
  run = start('later');
  const [edited, asSent] = [await insertRegion(world, 'A'), await insertRegion(world, 'A')];
  await world.waitUntilEqual();
  await proxy.freezeOpLog();
  await renameRegion(world, asSent, 'B');
  await waitUntil(async () => (await inJourney(asSent))?.name === 'B');
  const lookUps = countLookUps();
  await waitForPolls(60);
  // Journey has what was sent: it is asked once, and nothing is reported.
  expect(countLookUps() - lookUps).toBeLessThanOrEqual(1);
  expect(world.figures().journeySyncStatus).toBe('Live');

  await renameRegion(world, edited, 'B');
  await waitUntil(async () => (await inJourney(edited))?.name === 'B');
  await device(edited, { name: 'device, later' });
  const behind = /^Waiting: Journey's op-log is \d+ s behind what it acknowledged\.$/;
  await waitUntil(() => behind.test(world.figures().journeySyncStatus));
  expect(world.figures().journeyToHeliumWaitingSinceMs).toEqual(expect.any(Number));
  const before = countLookUps();
  await waitForPolls(60);
  expect(countLookUps() - before).toBeLessThanOrEqual(6);
  expect(world.log.filter((line) => /^WARNING .* op-log is \d+ s behind/.test(line))).toHaveLength(1);

  proxy.thawOpLog();
  await expectAtRest(world, {
    [`region/${edited}`]: regionFields('device, later'),
    [`region/${asSent}`]: regionFields('B'),
  });
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  await expect.poll(() => world.log).toContainEqual(expect.stringMatching(/^INFO .* has caught up/));
  expect(await world.conflicts()).toEqual([]);
  expect(listRepeated()).toEqual([]);
});

test('waits for the deletion of a record that Journey reports as missing, and creates it again only with proof', async () => {
  run = start('helium');
  const [id, other] = [await insertRegion(world, 'A'), randomUUID()];
  await world.waitUntilEqual();
  await proxy.freezeOpLog();
  await deleteInJourney(id);
  await renameRegion(world, id, 'B');
  await waitUntil(() => /op-log is \d+ s behind/.test(world.figures().journeySyncStatus));
  expect(await inJourney(id)).toBeUndefined();
  proxy.thawOpLog();
  await world.edit({ method: 'put', object: { type: 'region', id: other, name: 'other' } });
  await expectAtRest(world, { [`region/${id}`]: regionFields('B'), [`region/${other}`]: regionFields('other') });
  expect(await world.conflicts()).toMatchObject([{ winner: 'helium' }]);
});

test('does not wait for the op-log when a device has created a record again before Journey reports it as missing', async () => {
  run = start('journey');
  const id = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  await proxy.freezeOpLog();
  await deleteInJourney(id);
  const answer = proxy.hold((path) => path.endsWith('batch.json'));
  await renameRegion(world, id, 'B');
  await answer.held;
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'A' } });
  proxy.thawOpLog();
  await waitUntil(async () => (await world.heliumRows())[`region/${id}`]?.name === 'A');
  answer.release();
  await waitForPolls(20);
  expect(world.log.filter((line) => /op-log is \d+ s behind/.test(line))).toEqual([]);
  await expectAtRest(world, { [`region/${id}`]: regionFields('A') });
});

test('leaves what Journey reports as missing during a check to the next check', async () => {
  run = start('journey');
  const [id, sent] = [await insertRegion(world, 'A'), await insertRegion(world, 'A')];
  await world.waitUntilEqual();
  await proxy.freezeOpLog();
  const answer = proxy.hold((path) => path.endsWith('region/query.json'));
  await renameRegion(world, sent, 'B');
  await answer.held;
  await deleteInJourney(id);
  await renameRegion(world, id, 'B');
  const isWaiting = `select from __portal_sync__.record where missing = 'waits'`;
  await waitUntil(async () => (await world.sql(isWaiting)).rowCount === 1);
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'A' } });
  proxy.thawOpLog();
  answer.release();
  await expectAtRest(world, { [`region/${id}`]: regionFields('A'), [`region/${sent}`]: regionFields('B') });
  expect(world.log.filter((line) => /op-log is \d+ s behind/.test(line))).toEqual([]);
});

test('checks more writes than it can check at once', async () => {
  run = start('later');
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  await run.stop();
  const { rowCount } = await world.sql(
    `insert into __portal_sync__.intent (state_id, table_name, id, call, method, fields)
     select state_id, 'left out', gen_random_uuid(), 1, 'delete', '{}' from __portal_sync__.run, generate_series(1, 10001)`,
  );
  expect(rowCount).toBe(10_001);
  run = start('later');
  await waitUntil(async () => (await world.sql('select from __portal_sync__.intent')).rowCount === 0);
});
