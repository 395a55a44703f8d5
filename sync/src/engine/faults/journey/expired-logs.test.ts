/** Old entries of either log are deleted. That is no restore, and nothing halts. */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import { Secret } from '@portal/kit/secret';
import { expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import { requestComparison, saveCursor } from '../../../sync-state/operations.store.ts';
import { createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import {
  expectAtRest,
  findInJourney,
  insertRegion,
  regionFields,
  renameRegion,
  stopUnanswered,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';

createWorldForEachTest();

const toHeliumOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableHeliumToJourney: false });

async function put(name: string): Promise<string> {
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name } });
  return id;
}

const fullReads = () => world.log.filter((line) => line.includes('full read complete')).length;
const provenLongAgo = `update __portal_sync__.run set op_log_point = op_log_point || '{"provenAtMs": 0}'`;
const clearChangeLog = () => world.sql('delete from $s.__he_sync_obj_change__');

/**
 * Continues from the latest version of the change log, as operators may. Returns the state's id.
 */
async function moveToHead(): Promise<number> {
  const { rows } = await world.sql(
    `select state_id, (select max(seq)::text from $s.__he_sync_obj_change__) as head from __portal_sync__.run`,
  );
  const [{ state_id: stateId, head: version }] = rows;
  const direction = 'helium-to-journey';
  await saveCursor(world.helium.pool, stateId, { fence: world.nextFence(), direction, version });
  return stateId;
}

test("reads on when all entries of a quiet deployment's op-log expire", async () => {
  const run = world.start();
  const first = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  const before = fullReads();
  await world.deployment.dropOpLog({ keep: 0 });
  await waitForLog(world, /INFO Journey's op-log has expired up to entry 1/);
  // In another second than the first: otherwise it would not be certain that nothing else was
  // written.
  world.deployment.setClockSkew(3_600_000);
  const second = await put('second');
  await expectAtRest(world, {
    [`region/${first}`]: regionFields('first'),
    [`region/${second}`]: regionFields('second'),
  });
  // The same after a restart, long after the last entry was seen.
  await run.stop();
  await world.deployment.dropOpLog({ keep: 0 });
  await world.sql(provenLongAgo);
  world.start();
  await waitForLog(world, /INFO Journey's op-log has expired up to entry 2/);
  expect(fullReads()).toBe(before);
});

test('reads all objects again, deletions included, when the op-log is shorter than the downtime', async () => {
  const first = world.start();
  const [keptId, deletedId, editedId] = [
    await insertRegion(world, 'kept'),
    await insertRegion(world, 'gone'),
    await insertRegion(world, 'edited'),
  ];
  await world.waitUntilEqual();
  await first.stop();
  await world.edit(
    { method: 'delete', object: { type: 'region', id: deletedId } },
    { method: 'patch', object: { type: 'region', id: keptId, code: 1 } },
    { method: 'patch', object: { type: 'region', id: keptId, code: 2 } },
  );
  await renameRegion(world, editedId, 'edited in the meantime');
  await world.deployment.dropOpLog({ keep: 1 });
  world.start();
  await expectAtRest(world, {
    [`region/${keptId}`]: regionFields('kept', 2),
    [`region/${editedId}`]: regionFields('edited in the meantime'),
  });
  expect(Object.keys(await world.heliumRows())).toHaveLength(2);
  await expect
    .poll(() => world.log)
    .toContainEqual(expect.stringMatching(/WARNING Journey's op-log no longer has all entries after 3/));
});

test('sends again what was unanswered when the engine stopped, although the change log has lost it', async () => {
  const id = await stopUnanswered(world);
  await clearChangeLog();
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionFields('unanswered') });
});

test('finds by comparison what was unanswered when an operator moved past it', async () => {
  const id = await stopUnanswered(world);
  const stateId = await moveToHead();
  world.start();
  await requestComparison(world.helium.pool, stateId);
  await expectAtRest(world, { [`region/${id}`]: regionFields('unanswered') });
});

test('lists nothing when Helium has edited a record again whose write was unanswered', async () => {
  const id = await stopUnanswered(world);
  await renameRegion(world, id, 'edited again');
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionFields('edited again') });
  expect(await world.conflicts()).toEqual([]);
});

test('sends a marked record again that was unanswered when an operator moved past other entries', async () => {
  const id = await stopUnanswered(world, async (one) => {
    const session = await world.helium.connect();
    await session.query('set session_replication_role = replica');
    await session.query(`update region set name = 'unanswered' where _id_ = $1`, [one]);
    await session.query('reset session_replication_role');
    await world.sql(
      `insert into __portal_sync__.dirty (state_id, table_name, id) select state_id, 'region', $1 from __portal_sync__.run`,
      [one],
    );
  });
  const other = await insertRegion(world, 'passed over');
  await moveToHead();
  world.start();
  await waitUntil(async () => (await findInJourney(world, 'region', id))?.name === 'unanswered');
  expect(await findInJourney(world, 'region', other)).toBeNull();
});

test('keeps both values when Helium overwrites the edit of a device behind entries that expired', async () => {
  world.start();
  const id = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  const before = fullReads();
  world.journey.faults.set({ mode: 'error500', path: 'oplog' });
  await waitUntil(() => world.figures().journeySyncStatus.startsWith('Waiting: '));
  await world.deployment.dropOpLog({ keep: 0 });
  // Numbers of the op-log are not continuous.
  await world.journeySql('update deployment set last_sequence = last_sequence + 1000');
  world.deployment.setClockSkew(-5_000);
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'from a device' } });
  world.deployment.setClockSkew(0);
  await renameRegion(world, id, 'from Helium');
  await waitUntil(async () => (await findInJourney(world, 'region', id))?.name === 'from Helium');
  world.journey.faults.clear();
  await waitUntil(async () => (await world.conflicts()).length > 0);
  await expectAtRest(world, { [`region/${id}`]: regionFields('from Helium') });
  expect(await world.conflicts()).toMatchObject([
    { id, column: 'name', helium: 'from Helium', journey: 'from a device', winner: 'helium' },
  ]);
  await waitUntil(() => fullReads() > before);
});

test('reads all objects again when all entries expired, and some of them were not read', async () => {
  const run = world.start();
  await insertRegion(world, 'kept');
  await world.waitUntilEqual();
  await run.stop();
  const unread = await put('unread');
  await world.deployment.dropOpLog({ keep: 0 });
  await world.sql(provenLongAgo);
  world.start();
  await expectAtRest(world, { [`region/${unread}`]: regionFields('unread') });
});

test.each([
  ['recently', /Its op-log is empty, and entry 2 was there within the last hour. Records only in Helium: 1,/],
  ['long ago', /Journey no longer has 1 of the 2 region records that both sides had./],
] as const)(
  'deletes nothing that is gone together with the whole op-log, last seen %s, and asks',
  async (seen, reason) => {
    const run = world.start();
    await insertRegion(world, 'kept');
    await world.waitUntilEqual();
    const copy = await world.deployment.takeCopy();
    const restoredAway = await put('restored away');
    await world.waitUntilEqual();
    await run.stop();
    await world.deployment.restoreCopy(copy);
    await world.deployment.dropOpLog({ keep: 0 });
    if (seen === 'long ago') await world.sql(provenLongAgo);
    const ended = await world.start().ended;
    expect(ended).toMatchObject({ outcome: 'halted', reason: expect.stringMatching(reason) });
    expect(await world.heliumRows()).toMatchObject({ [`region/${restoredAway}`]: regionFields('restored away') });
  },
);

test('reads the edit of the last object that was read, when its entry expired with all others', async () => {
  const run = world.start();
  const id = await put('first');
  await waitUntil(async () => (await world.heliumRows())[`region/${id}`] !== undefined);
  await run.stop();
  world.deployment.setClockSkew(3_600_000);
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'edited since' } });
  await world.deployment.dropOpLog({ keep: 0 });
  await world.sql(provenLongAgo);
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionFields('edited since') });
});

const edit = (id: string) => world.edit({ method: 'patch', object: { type: 'region', id, name: 'edited' } });
const replace = async (id: string) => {
  await put('new');
  await world.edit({ method: 'delete', object: { type: 'region', id } });
};
const isAsBefore = /Entry \d of its op-log is gone, and region [0-9a-f-]+ is as it was before that entry./;

test.each([
  ['recently', 'an edit', edit],
  ['long ago', 'an edit', edit],
  ['recently', 'a deletion', replace],
  ['long ago', 'a deletion', replace],
] as const)(
  'undoes nothing when a restore empties the op-log, last seen %s, and takes back %s',
  async (seen, _, change) => {
    const run = world.start();
    const id = await insertRegion(world, 'first');
    await world.waitUntilEqual();
    const copy = await world.deployment.takeCopy();
    world.deployment.setClockSkew(3_600_000);
    await change(id);
    await world.waitUntilEqual();
    await run.stop();
    const helium = await world.heliumRows();
    // As many objects as before.
    await world.deployment.restoreCopy(copy);
    await world.deployment.dropOpLog({ keep: 0 });
    if (seen === 'long ago') await world.sql(provenLongAgo);
    expect(await world.start().ended).toMatchObject({ outcome: 'halted', reason: expect.stringMatching(isAsBefore) });
    expect(await world.heliumRows()).toEqual(helium);
  },
);

test('reads all objects again when the op-log expired while it was not read', async () => {
  const first = world.start();
  const known = await put('known');
  await world.waitUntilEqual();
  await first.stop();
  await world.deployment.dropOpLog({ keep: 0 });
  const away = await put('not read');
  const second = world.start((config) => ({ ...config, enableJourneyToHelium: false }), 2);
  const sent = await insertRegion(world, 'sent');
  await waitUntil(() => findInJourney(world, 'region', sent));
  const hasSeen = `select from __portal_sync__.run where (op_log_point ->> 'sequence')::numeric > op_log_cursor`;
  await waitUntil(async () => (await world.sql(hasSeen)).rowCount === 1);
  await second.stop();
  world.start((config) => config, 3);
  await waitForLog(world, /WARNING Journey's op-log no longer has all entries after 1/);
  await expectAtRest(world, {
    [`region/${known}`]: regionFields('known'),
    [`region/${away}`]: regionFields('not read'),
    [`region/${sent}`]: regionFields('sent'),
  });
});

test('reads all objects again when the first entries of a new deployment expired', async () => {
  const run = world.start(toHeliumOnly);
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  await run.stop();
  const ids = [await put('one'), await put('two'), await put('three')];
  await world.deployment.dropOpLog({ keep: 1 });
  world.start(toHeliumOnly);
  await waitUntil(async () => Object.keys(await world.heliumRows()).length === 3);
  expect(Object.keys(await world.heliumRows()).sort()).toEqual(ids.map((id) => `region/${id}`).sort());
});

test('reads on when the change log is cleared, and all rows again when entries may have been unread', async () => {
  let run = world.start();
  const first = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  const before = fullReads();
  await clearChangeLog();
  run.wake();
  await waitForLog(world, /INFO Helium's change log was cleared up to entry 1 /);
  const second = await insertRegion(world, 'second');
  await world.waitUntilEqual();
  expect(fullReads()).toBe(before);

  await run.stop();
  const unread = await insertRegion(world, 'unread');
  await clearChangeLog();
  run = world.start();
  await waitForLog(world, /WARNING Helium's change log was cleared up to entry 2 .*: all rows are read again/);
  await waitUntil(async () => `region/${unread}` in (await world.journeyRows()));
  expect(await world.journeyRows()).toEqual({
    [`region/${first}`]: regionFields('first'),
    [`region/${second}`]: regionFields('second'),
    [`region/${unread}`]: regionFields('unread'),
  });
});

test('names a version that was never reached, or that has expired, as what it is', async () => {
  const from = (changeLog: string, opLog: string) => (config: SyncConfig) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: changeLog },
    journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: opLog },
  });
  const restart = () => world.sql('truncate __portal_sync__.run cascade');
  await insertRegion(world, 'one');
  expect(await world.start(from('5000', '0')).ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/change log has not reached version 5000 yet: it ends at 1/),
  });
  await restart();
  await put('one');
  await put('two');
  expect(await world.start(from('1', '5000')).ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/op-log has not reached version 5000 yet: it ends at 2/),
  });
  await restart();
  await world.deployment.dropOpLog({ keep: 1 });
  expect(await world.start(from('1', '1')).ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/op-log no longer holds version 1/),
  });
});

test('refuses such a version when an integration is saved or its cursor is moved', async () => {
  await insertRegion(world, 'one');
  await insertRegion(world, 'two');
  await put('one');
  await put('two');
  const operations = createOperations(world.databases, quickRateLimiter());
  const { integration, deployment } = world;
  const { signal } = new AbortController();
  const journeyPassword = new Secret(deployment.password);
  const { config } = integration;
  const from = (changeLog: string, opLog: string) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: changeLog },
    journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: opLog },
  });
  const target = { ...integration, config: from('5000', '5000'), journeyPassword, isNew: true };
  expect((await operations.testConnection(target, signal)).problems).toEqual([
    {
      field: 'heliumToJourney.changeLogMinVersionAsString',
      reason: expect.stringContaining('not reached version 5000'),
    },
    { field: 'journeyToHelium.oplogMinVersionAsString', reason: expect.stringContaining('not reached version 5000') },
  ]);
  // What runs already no longer depends on these versions.
  expect((await operations.testConnection({ ...target, isNew: false }, signal)).problems).toEqual([]);

  const find = (direction: 'helium-to-journey' | 'journey-to-helium', version: string) =>
    operations.findVersionProblem(integration, { direction, version, journeyPassword }, signal);
  for (const direction of ['helium-to-journey', 'journey-to-helium'] as const) {
    expect(await find(direction, '2')).toBeNull();
    expect(await find(direction, '3')).toMatch(/has not reached version 3 yet: it ends at 2/);
  }
  await clearChangeLog();
  await deployment.dropOpLog({ keep: 1 });
  expect(await find('helium-to-journey', '2')).toBeNull();
  expect(await find('helium-to-journey', '1')).toMatch(/no longer holds what follows version 1/);
  expect(await find('journey-to-helium', '1')).toMatch(/no longer holds version 1/);
});
