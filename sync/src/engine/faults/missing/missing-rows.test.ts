/**
 * Rows that are gone from Helium without an entry in its change log: TRUNCATE, and changed ids.
 * They are noticed without a comparison, and an operator is asked.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readQuestion, saveAnswer } from '../../../sync-state/questions.store.ts';
import {
  expectAtRest,
  expectNoEcho,
  insertRegion,
  regionFields,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let run: TestRun;
let ids: string[];

beforeEach(async () => {
  world = await createSyncWorld();
  run = world.start();
  ids = [];
  for (let code = 1; code <= 5; code += 1) ids.push(await insertRegion(world, `region ${code}`, code));
  await world.waitUntilEqual();
});
afterEach(() => world.stop());

const rename = (id: string | undefined, name: string) =>
  world.edit({ method: 'patch', object: { type: 'region', id: id ?? '', name } });
const journeyIds = async () => Object.keys(await world.journeyRows()).sort();
const findStateId = async () => (await world.sql('select state_id from __portal_sync__.run')).rows[0].state_id;

async function answer(choice: 'keep' | 'delete'): Promise<void> {
  const stateId = await findStateId();
  const asked = await readQuestion(world.helium.pool, stateId);
  const questionId = asked?.question.id ?? '';
  await saveAnswer(world.helium.pool, stateId, { questionId, answer: choice, fence: world.nextFence() });
}

test('asks about every record that TRUNCATE removed, and keeps what a device edits in the meantime', async () => {
  await world.sql('truncate $s.region cascade');
  await rename(ids[0], 'by a device');
  run.wake();
  expect(await run.ended).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('region') });
  expect(await journeyIds()).toHaveLength(5);
  await answer('delete');
  // What a device edited after that is written to Helium, instead of being deleted.
  const { opLog } = await world.deployment.takeCopy();
  expect(opLog).toContain('by a device');
  world.start();
  await world.waitUntilEqual();
  const rows = await world.heliumRows();
  const conflicts = await world.conflicts();
  const kept = Object.values(rows).some(({ name }) => name === 'by a device');
  expect(kept || JSON.stringify(conflicts).includes('by a device')).toBe(true);
});

test('asks about the rest after TRUNCATE and new rows, also when it happened while nothing ran', async () => {
  await run.stop();
  await world.sql('truncate $s.region cascade');
  const id = await insertRegion(world, 'new', 9);
  await insertRegion(world, 'region 1', 1, ids[0]);
  expect(await world.start().ended).toMatchObject({ outcome: 'halted' });
  expect(await journeyIds()).toHaveLength(5);
  await answer('keep');
  world.start();
  await expectAtRest(world, {
    [`region/${id}`]: regionFields('new', 9),
    [`region/${ids[4]}`]: regionFields('region 5', 5),
  });
  expect(await journeyIds()).toHaveLength(6);
});

test('continues after VACUUM FULL, which removes nothing', async () => {
  await world.sql('vacuum full $s.region');
  run.wake();
  await waitForLog(world, /INFO Helium rewrote table region/);
  await insertRegion(world, 'after', 7);
  await world.waitUntilEqual();
  await expectNoEcho(world);
  expect(await journeyIds()).toHaveLength(6);
  expect(world.log.filter((line) => /rewrote table region/.test(line)).length).toBeLessThanOrEqual(2);
});

test('deletes a record in Journey whose id was changed in Helium, and creates it under the new id', async () => {
  const id = randomUUID();
  await world.sql('update $s.region set _id_ = $2 where _id_ = $1', [ids[0], id]);
  await expectAtRest(world, { [`region/${id}`]: regionFields('region 1', 1) });
  await waitUntil(async () => !(await journeyIds()).includes(`region/${ids[0]}`));
  expect(await journeyIds()).toHaveLength(5);
});

test('syncs both rows of which the ids were exchanged in one transaction, without waiting for the daily comparison', async () => {
  const [one, other] = ids;
  const spare = randomUUID();
  await world.sql(
    `begin; update $s.region set _id_ = '${spare}' where _id_ = '${one}';
     update $s.region set _id_ = '${one}' where _id_ = '${other}';
     update $s.region set _id_ = '${other}' where _id_ = '${spare}'; commit`,
  );
  await waitUntil(async () => (await world.journeyRows())[`region/${other}`]?.name === 'region 1');
  await world.waitUntilEqual();
  expect((await world.journeyRows())[`region/${one}`]).toEqual(regionFields('region 2', 2));
});

test('asks before it deletes records whose ids were all changed', async () => {
  await world.sql('update $s.region set _id_ = gen_random_uuid()');
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await journeyIds()).toEqual(ids.map((id) => `region/${id}`).sort());
});

test('lists what a device edits under an id that was changed, with both values', async () => {
  await run.stop();
  await world.sql('update $s.region set _id_ = gen_random_uuid(), code = null where _id_ = $1', [ids[0]]);
  await rename(ids[0], 'by a device');
  for (const conflictPolicy of ['helium'] as const) world.start((config) => ({ ...config, conflictPolicy }));
  await world.waitUntilEqual();
  await waitUntil(async () => (await world.conflicts()).length > 0);
  expect(await world.conflicts()).toMatchObject([
    { id: ids[0], column: null, helium: null, journey: { name: 'by a device' } },
  ]);
});
