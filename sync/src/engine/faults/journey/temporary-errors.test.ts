/** Journey answers writes, or the whole call, with errors that do not judge a record. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { type Operation, type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;

beforeEach(async () => {
  world = await createSyncWorld();
  proxy = await startResponseProxy(world);
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

/** Fails each operation the first time it is sent. */
function failOnce(type: string): (operation: Operation) => string | null {
  const seen = new Set<string>();
  return ({ method, object }) => {
    const operation = `${method} ${object.id}`;
    if (seen.has(operation)) return null;
    seen.add(operation);
    return type;
  };
}

test.each(['INTERNAL_SERVER_ERROR', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE', 'AN_UNKNOWN_TYPE'])(
  'retries every record of a batch that Journey answers with %s inside a 200',
  async (type) => {
    world.start(proxy.through);
    await world.waitUntilEqual();
    proxy.failOperations(failOnce(type));
    await world.sql(
      `insert into $s.region (_id_, _tstamp_, name) select gen_random_uuid(), now(), 'new' from generate_series(1, 50)`,
    );
    await waitForLog(world, new RegExp(`50 records will be retried: .*${type}`));
    await waitForLog(world, new RegExp(`Helium → Journey: .*${type}.* Retrying in`));
    await expectAtRest(world, {});
    expect(Object.keys(await world.journeyRows())).toHaveLength(50);
    expect(await world.held()).toEqual([]);
    expect(world.log).not.toContainEqual(expect.stringMatching(/^SEVERE/));
    await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
  },
);

test('lists a record with a temporary error as waiting, with the error, while all others are synced', async () => {
  world.start(proxy.through);
  await world.waitUntilEqual();
  const bad = await insertRegion(world, 'bad');
  await world.waitUntilEqual();
  proxy.failOperations(({ object }) => (object.id === bad ? 'INTERNAL_SERVER_ERROR' : null));
  await renameRegion(world, bad, 'waits');
  await waitUntil(() => world.figures().waiting === 1);
  expect(await world.held()).toMatchObject([
    {
      id: bad,
      state: 'waiting',
      direction: 'helium-to-journey',
      reason: expect.stringContaining('INTERNAL_SERVER_ERROR'),
    },
  ]);
  const good = await insertRegion(world, 'good');
  await waitUntil(async () => `region/${good}` in (await world.journeyRows()));
  await waitUntil(async () => ((await world.held())[0]?.attempts ?? 0) >= 3);
  expect(world.figures()).toMatchObject({ deadLetters: 0, waiting: 1 });
  proxy.failOperations(() => null);
  await expectAtRest(world, { [`region/${bad}`]: regionFields('waits'), [`region/${good}`]: regionFields('good') });
  expect(await world.held()).toEqual([]);
  await waitUntil(() => world.figures().waiting === 0);
});

test('repeats nothing that Journey applied although it reported an error, and keeps what a device wrote since', async () => {
  world.start(proxy.through);
  const id = await insertRegion(world, 'first', 1);
  await world.waitUntilEqual();
  proxy.failOperations(failOnce('INTERNAL_SERVER_ERROR'), { isApplied: true });
  const gate = proxy.hold((path) => path.includes('/batch.json'));
  await renameRegion(world, id, 'second');
  await gate.held;
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'third', code: 3 } });
  gate.release();
  await expectAtRest(world, { [`region/${id}`]: regionFields('third', 3) });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test('recognizes the echo of a write that Journey applied although it reported an error', async () => {
  world.start(proxy.through);
  const id = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  proxy.failOperations(failOnce('INTERNAL_SERVER_ERROR'), { isApplied: true });
  const gate = proxy.hold((path) => path.includes('/batch.json'));
  await renameRegion(world, id, 'second');
  await gate.held;
  await renameRegion(world, id, 'third');
  gate.release();
  await expectAtRest(world, { [`region/${id}`]: regionFields('third') });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test('deletes in Journey what it refused to delete with a temporary error', async () => {
  world.start(proxy.through);
  const id = await insertRegion(world, 'goes');
  await world.waitUntilEqual();
  proxy.failOperations(failOnce('INTERNAL_SERVER_ERROR'));
  await world.sql('delete from $s.region where _id_ = $1', [id]);
  await waitUntil(async () => !(`region/${id}` in (await world.journeyRows())));
  await expectAtRest(world, {});
  expect(await world.held()).toEqual([]);
});

test.each([
  ['AUTHENTICATION_FAILED', 'Journey refuses the user name and password'],
  ['ACCOUNT_NOT_FOUND', 'Journey has no such deployment'],
])('halts when Journey answers a write with %s inside a 200, and sends the record afterwards', async (type, reason) => {
  const run = world.start(proxy.through);
  await world.waitUntilEqual();
  proxy.failOperations(() => type);
  const id = await insertRegion(world, 'later');
  expect(await run.ended).toMatchObject({ outcome: 'halted', reason: expect.stringContaining(reason) });
  expect((await world.held()).filter(({ state }) => state === 'dead')).toEqual([]);
  proxy.failOperations(() => null);
  world.start(proxy.through);
  await expectAtRest(world, { [`region/${id}`]: regionFields('later') });
});

test('calls Journey at once on "Try now", although it asked for a long pause', async () => {
  const run = world.start(proxy.through);
  await world.waitUntilEqual();
  // Longer than this test may take.
  proxy.answerNext((path) => path.includes('/batch.json'), { status: 429, headers: { 'retry-after': '300' } });
  const id = await insertRegion(world, 'waits');
  await waitUntil(() => /^Waiting: .*300 s/.test(world.figures().heliumSyncStatus));
  run.tryNow();
  await expectAtRest(world, { [`region/${id}`]: regionFields('waits') });
});
