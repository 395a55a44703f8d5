/**
 * Records of which Helium takes neither what came first nor what came then: a missing parent, and a
 * value out of range.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperations } from '../../operations/operations.ts';
import { quickPace } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { type AlteredAnswers, alterAnswers } from './altered-answers.fixture.ts';
import { editBoth, expectAtRest, expectNoEcho, insertRegion, until } from './fault-steps.fixture.ts';

let world: SyncWorld;
let answers: AlteredAnswers;
/** What the simulator says is altered to a number that Helium's int has no place for. */
const tooGreat = 987_654_321;

beforeEach(async () => {
  world = await createSyncWorld();
  answers = await alterAnswers(world);
  answers.alter(`"age":${tooGreat}`, '"age":9876543210');
  const run = world.start(answers.through);
  await editBoth(world, 'before');
  await world.untilEqual();
  await run.stop();
});
afterEach(async () => {
  await world.stop();
  await answers.stop();
});

const patch = (id: string, fields: object) =>
  world.edit({ method: 'patch', object: { type: 'farmer', id, ...fields } });
const put = (type: string, id: string, fields: object) =>
  world.edit({ method: 'put', object: { type, id, ...fields } });

test('a child whose parent is missing, and that then says what cannot be kept, comes whole in the end', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await put('farmer', child, { name: 'Child', region_id: parent });
  await patch(child, { age: tooGreat });
  world.start(answers.through);
  await until(() => world.figures().deadLetters === 1);
  expect(await world.held()).toMatchObject([{ state: 'dead', table: 'farmer', id: child, kind: 'unreadable value' }]);
  await put('region', parent, { name: 'Parent' });
  await patch(child, { age: 7 });
  await expectAtRest(world, {
    [`farmer/${child}`]: expect.objectContaining({ name: 'Child', age: 7, region_fk: parent }),
  });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test('what was written while a record was held is no conflict when the record is read again', async () => {
  const id = randomUUID();
  await put('farmer', id, { name: 'first', age: tooGreat });
  const helium = (config: SyncWorld['integration']['config']) =>
    answers.through({ ...config, conflictPolicy: 'helium' });
  const run = world.start(helium);
  await until(() => world.figures().deadLetters === 1);
  await run.stop();
  await patch(id, { name: 'second', age: 2 });
  await patch(id, { age: tooGreat });
  world.start(helium);
  await until(async () => (await world.heliumRows())[`farmer/${id}`]?.name === 'second');
  await patch(id, { name: 'third', age: 3 });
  await expectAtRest(world, { [`farmer/${id}`]: expect.objectContaining({ name: 'third', age: 3 }) });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test('Journey’s clock is put right after a dead letter was read again: its next edits count', async () => {
  world.deployment.setClockSkew(3_600_000);
  const id = randomUUID();
  await put('farmer', id, { name: 'first', age: tooGreat });
  const run = world.start(answers.through);
  await until(() => world.figures().deadLetters === 1);
  answers.alter(`"age":${tooGreat}`, '"age":1');
  const numbers = (await world.held()).map(({ no }) => no);
  await createOperations(world.databases, quickPace()).retry(world.integration, { numbers });
  run.wake();
  await until(async () => (await world.heliumRows())[`farmer/${id}`]?.age === 1);
  await expectNoEcho(world);
  world.deployment.setClockSkew(0);
  await patch(id, { name: 'an hour before, by its clock', age: 2 });
  await until(async () => (await world.heliumRows())[`farmer/${id}`]?.age === 2);
});

test('what is held and was listed later than it was held is tried once, not for ever', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await put('farmer', child, { name: 'Child', region_id: parent });
  const run = world.start(answers.through);
  await until(() => world.figures().parked === 1);
  await run.stop();
  // As two listings leave it between which a clock is put right.
  await world.sql(
    `with later as (update __portal_sync__.held set retry_at = now() returning changed_at_ms + 3600000 as at_ms)
     update __portal_sync__.record set listed_at_ms = later.at_ms from later where id = $1`,
    [child],
  );
  await insertRegion(world, 'Parent', null, parent);
  world.start(answers.through);
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ region_fk: parent }) });
  expect(await world.held()).toEqual([]);
});
