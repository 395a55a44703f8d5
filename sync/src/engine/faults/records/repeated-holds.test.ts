/**
 * Records that Helium rejects twice for different reasons: a missing parent, and a value out of
 * range.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import {
  editBothSides,
  expectAtRest,
  expectNoEcho,
  insertRegion,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;
/** The simulator's value that the proxy replaces with a number too large for Helium's int. */
const tooGreat = 987_654_321;

beforeEach(async () => {
  world = await createSyncWorld();
  proxy = await startResponseProxy(world);
  proxy.alter(`"age":${tooGreat}`, '"age":9876543210');
  const run = world.start(proxy.through);
  await editBothSides(world, 'before');
  await world.waitUntilEqual();
  await run.stop();
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

const patch = (id: string, fields: object) =>
  world.edit({ method: 'patch', object: { type: 'farmer', id, ...fields } });
const put = (type: string, id: string, fields: object) =>
  world.edit({ method: 'put', object: { type, id, ...fields } });

test('syncs a child completely after a missing parent and a value that could not be stored', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await put('farmer', child, { name: 'Child', region_id: parent });
  await patch(child, { age: tooGreat });
  world.start(proxy.through);
  await waitUntil(() => world.figures().deadLetters === 1);
  expect(await world.held()).toMatchObject([{ state: 'dead', table: 'farmer', id: child, kind: 'unreadable value' }]);
  await put('region', parent, { name: 'Parent' });
  await patch(child, { age: 7 });
  await expectAtRest(world, {
    [`farmer/${child}`]: expect.objectContaining({ name: 'Child', age: 7, region_fk: parent }),
  });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test('records no conflict for writes made while a record was held, when it is read again', async () => {
  const id = randomUUID();
  await put('farmer', id, { name: 'first', age: tooGreat });
  const helium = (config: SyncWorld['integration']['config']) => proxy.through({ ...config, conflictPolicy: 'helium' });
  const run = world.start(helium);
  await waitUntil(() => world.figures().deadLetters === 1);
  await run.stop();
  await patch(id, { name: 'second', age: 2 });
  await patch(id, { age: tooGreat });
  world.start(helium);
  await waitUntil(async () => (await world.heliumRows())[`farmer/${id}`]?.name === 'second');
  await patch(id, { name: 'third', age: 3 });
  await expectAtRest(world, { [`farmer/${id}`]: expect.objectContaining({ name: 'third', age: 3 }) });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test("counts edits made after Journey’s clock was corrected following a dead letter's retry", async () => {
  world.deployment.setClockSkew(3_600_000);
  const id = randomUUID();
  await put('farmer', id, { name: 'first', age: tooGreat });
  const run = world.start(proxy.through);
  await waitUntil(() => world.figures().deadLetters === 1);
  proxy.alter(`"age":${tooGreat}`, '"age":1');
  const numbers = (await world.held()).map(({ no }) => no);
  await createOperations(world.databases, quickRateLimiter()).retry(world.integration, { numbers });
  run.wake();
  await waitUntil(async () => (await world.heliumRows())[`farmer/${id}`]?.age === 1);
  await expectNoEcho(world);
  world.deployment.setClockSkew(0);
  await patch(id, { name: 'an hour before, by its clock', age: 2 });
  await waitUntil(async () => (await world.heliumRows())[`farmer/${id}`]?.age === 2);
});

test('retries a held record once, not forever, when it was listed after it was held', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await put('farmer', child, { name: 'Child', region_id: parent });
  const run = world.start(proxy.through);
  await waitUntil(() => world.figures().parked === 1);
  await run.stop();
  // The state between two listings when a clock is corrected.
  await world.sql(
    `with later as (update __portal_sync__.held set retry_at = now() returning changed_at_ms + 3600000 as at_ms)
     update __portal_sync__.record set listed_at_ms = later.at_ms from later where id = $1`,
    [child],
  );
  await insertRegion(world, 'Parent', null, parent);
  world.start(proxy.through);
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ region_fk: parent }) });
  expect(await world.held()).toEqual([]);
});
