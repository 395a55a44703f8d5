/** Something before Journey answers calls with a certain text itself: only their records wait. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { markSkipped } from '../../../sync-state/operations.store.ts';
import {
  deleteRegion,
  expectAtRest,
  expectNoEcho,
  findInJourney,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { type BatchAnswer, type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { quickPolls, quickTiming } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;
let run: ReturnType<SyncWorld['start']>;

beforeAll(async () => {
  world = await createSyncWorld({
    timing: { ...quickPolls, files: { ...quickTiming.files, retry: { initialMs: 100, maxMs: 200 } } },
  });
  proxy = await startResponseProxy(world);
});
beforeEach(async () => {
  world.log.length = 0;
  run = world.start(proxy.through);
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
});
afterEach(async () => {
  proxy.answerBatches(() => null);
  await world.stopRuns();
});
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const phrase = 'drop table';
const html = { 'content-type': 'text/html; charset=utf-8' };
const page = '<!doctype html><title>Blocked</title><p>Request <b>blocked</b> by policy 7.</p>';
const words = '"Blocked Request blocked by policy 7."';

/** Inserts regions in one transaction. Returns their ids in the order of the names. */
async function insertRegions(names: readonly string[]): Promise<string[]> {
  const { rows } = await world.sql(
    `insert into $s.region (_id_, _tstamp_, name)
     select gen_random_uuid(), now(), name from unnest($1::text[]) as n (name) returning _id_::text as id`,
    [names],
  );
  return rows.map(({ id }) => id);
}

const nameInJourney = async (id: string) => (await findInJourney(world, 'region', id))?.name;

/** Waits for this number of held records. The figures may still be those before the test. */
const waitForHeld = (count: number) => waitUntil(async () => (await world.held()).length === count);

/** Skips a held record, as an operator does. */
async function skip(id: string): Promise<void> {
  const { rows } = await world.sql('select state_id, number::text as number from __portal_sync__.held where id = $1', [
    id,
  ]);
  await markSkipped(world.helium.pool, rows[0].state_id, { numbers: [rows[0].number], kind: null });
}

const answers: readonly (readonly [string, () => BatchAnswer, string])[] = [
  ['a page with status 403', () => ({ status: 403, headers: html, body: page }), `status 403, text/html: ${words}`],
  ['a page with status 400', () => ({ status: 400, headers: html, body: page }), `status 400, text/html: ${words}`],
  ['a page with status 404', () => ({ status: 404, headers: html, body: page }), `status 404, text/html: ${words}`],
  ['a page with status 500', () => ({ status: 500, headers: html, body: page }), `status 500, text/html: ${words}`],
  ['a page with status 502', () => ({ status: 502, headers: html, body: page }), `status 502, text/html: ${words}`],
  ['a page with status 200', () => ({ status: 200, headers: html, body: page }), `status 200, text/html: ${words}`],
  ['a closed connection', () => 'reset', 'closed the connection'],
];

test.each(answers)(
  'holds only the records that get %s, with what answered, and syncs all others',
  async (_what, answer, shown) => {
    proxy.answerBatches((body) => (body.includes(phrase) ? answer() : null));
    const names = Array.from({ length: 40 }, (_, index) => (index % 19 === 7 ? `${phrase} ${index}` : `name ${index}`));
    const ids = await insertRegions(names);
    const refused = ids.filter((_, index) => names[index]?.startsWith(phrase));
    await waitForHeld(refused.length);
    for (const [index, id] of ids.entries())
      if (!refused.includes(id)) expect(await nameInJourney(id)).toBe(names[index]);
    const held = await world.held();
    expect(held.map(({ id }) => id).sort()).toEqual([...refused].sort());
    for (const one of held)
      expect(one).toMatchObject({
        direction: 'helium-to-journey',
        state: 'waiting',
        reason: expect.stringContaining(shown),
      });
    const behind = await insertRegion(world, 'behind');
    await waitUntil(() => nameInJourney(behind));

    const [first = '', second = ''] = refused;
    await skip(first);
    await renameRegion(world, second, 'harmless');
    await waitUntil(async () => (await nameInJourney(second)) === 'harmless');
    await waitUntil(async () => (await world.held()).every(({ state }) => state === 'skipped'));
    proxy.answerBatches(() => null);
    await renameRegion(world, first, `${phrase} again`);
    await waitForHeld(0);
    expect(await nameInJourney(first)).toBe(`${phrase} again`);
    await expectNoEcho(world);
    expect(world.log).not.toContainEqual(expect.stringMatching(/^SEVERE/));
  },
);

test('holds a record that is the only one to send, because a call without it is answered', async () => {
  proxy.answerBatches((body) => (body.includes(phrase) ? { status: 403, headers: html, body: page } : null));
  const id = await insertRegion(world, phrase);
  await waitForHeld(1);
  expect(await world.held()).toMatchObject([{ id, attempts: expect.any(Number), state: 'waiting' }]);
  await deleteRegion(world, id);
  await waitForHeld(0);
});

test('leaves a record skipped that an operator skips while its call is on its way', async () => {
  let whileSending = async () => {};
  proxy.answerBatches(async (body) => {
    if (!body.includes(phrase)) return null;
    await whileSending();
    return { status: 403, headers: html, body: page };
  });
  const id = await insertRegion(world, phrase);
  await waitForHeld(1);
  await new Promise<void>((resolve) => {
    whileSending = async () => {
      await skip(id);
      resolve();
    };
  });
  const behind = await insertRegion(world, 'behind');
  await waitUntil(() => nameInJourney(behind));
  expect(await world.held()).toMatchObject([{ id, state: 'skipped' }]);
  await deleteRegion(world, id);
  await waitForHeld(0);
});

test('shows what answers, and why the direction waits, while calls are searched for the record', async () => {
  const statuses: string[] = [];
  proxy.answerBatches((body) => {
    if (!body.includes(phrase)) return null;
    statuses.push(world.figures().heliumSyncStatus);
    return { status: 403, headers: html, body: page };
  });
  const names = Array.from({ length: 32 }, (_, index) => (index === 20 ? phrase : `name ${index}`));
  await insertRegions(names);
  await waitForHeld(1);
  // The page is repeated after two failures; the next half is sent right after the third one.
  const searched = statuses.slice(4);
  expect(searched.length).toBeGreaterThan(1);
  for (const status of searched) expect(status).toMatch(/^Waiting: .*status 403, text\/html/);
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
  proxy.answerBatches(() => null);
  await waitForHeld(0);
});

test('holds every record of a page that gets such an answer, and syncs the next page', async () => {
  proxy.answerBatches((body) => (body.includes(phrase) ? { status: 403, headers: html, body: page } : null));
  const ids = await insertRegions(Array.from({ length: 25 }, (_, index) => `${phrase} ${index}`));
  await waitForHeld(ids.length);
  const behind = await insertRegion(world, 'behind');
  await waitUntil(() => nameInJourney(behind));
  proxy.answerBatches(() => null);
  await waitForHeld(0);
  await expectNoEcho(world);
});

test('keeps what a device writes while the calls with its record are applied and get such an answer', async () => {
  const [edited = '', refused = '', ...others] = await insertRegions(['a', 'b', 'c', 'd', 'e']);
  await world.waitUntilEqual();
  proxy.answerBatches((body) => (body.includes(phrase) ? { status: 502, headers: html, body: page } : null), {
    isApplied: true,
  });
  await world.sql(
    `update $s.region set _tstamp_ = now(), name = case when _id_ = $1 then $2 else name || ' changed' end
     where _id_ = any($3::uuid[])`,
    [refused, phrase, [edited, refused, ...others]],
  );
  await waitUntil(async () => (await nameInJourney(edited)) === 'a changed');
  await world.edit({ method: 'patch', object: { type: 'region', id: edited, name: 'device' } });
  await expectAtRest(world, {
    [`region/${edited}`]: regionFields('device'),
    [`region/${refused}`]: regionFields(phrase),
  });
});

test.each([
  ['a page with status 403', { status: 403, headers: html, body: page }],
  ['a page with status 502', { status: 502, headers: html, body: page }],
  ['a closed connection', 'reset'],
] as const)('waits, and holds no record, while every batch gets %s', async (_what, answer) => {
  let calls = 0;
  proxy.answerBatches(() => {
    calls += 1;
    return answer;
  });
  const ids = await insertRegions(['one', 'two', 'three']);
  await waitForLog(world, /WARNING Helium → Journey: .*Retrying in/);
  // More than a record that is held gets.
  await waitUntil(() => calls >= 20);
  expect(await world.held()).toEqual([]);
  expect(world.figures().heliumSyncStatus).toMatch(/^Waiting: /);
  proxy.answerBatches(() => null);
  for (const id of ids) await waitUntil(() => nameInJourney(id));
  expect(await world.held()).toEqual([]);
});

test.each([
  ['403 in its format', { status: 403, headers: { 'content-type': 'application/json' }, body: '{"type":"FORBIDDEN"}' }],
  ['401 with its text', { status: 401, headers: { 'content-type': 'text/plain' }, body: 'HTTP Basic: Access denied.' }],
] as const)("halts when Journey's own answer is %s", async (_what, answer) => {
  proxy.answerBatches(() => answer);
  const id = await insertRegion(world, 'later');
  expect(await run.ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringContaining('Journey refuses the user name and password'),
  });
  proxy.answerBatches(() => null);
  world.start(proxy.through);
  await waitUntil(() => nameInJourney(id));
});
