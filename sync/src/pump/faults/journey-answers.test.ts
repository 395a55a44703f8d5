/** Journey, or the network before it, does something else than answer as it should. */
import type { Fault } from '@portal/platforms/journey/simulator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { editBoth, expectAtRest, until } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeAll(async () => {
  // Only the faults that never answer wait for this long.
  world = await createSyncWorld({ timing: { callTimeoutMs: 1_000 } });
  world.start();
  await world.untilEqual();
});
afterEach(() => world.journey.faults.clear());
afterAll(() => world.stop());

const expectedReports: readonly (readonly [what: string, told: RegExp, fault: Fault])[] = [
  [
    'answers lost after the batch was carried out',
    /closed the connection during/,
    { mode: 'drop', path: 'batch', times: 1 },
  ],
  ['half a batch carried out', /500/, { mode: 'half-batch', path: 'batch', times: 1 }],
  ['a storm of 500', /500/, { mode: 'error500', times: 30 }],
  ['a storm of 502', /502/, { mode: 'error500', status: 502, times: 30 }],
  ['a storm of 503', /503/, { mode: 'error500', status: 503, times: 30 }],
  ['429 to batches', /too many calls/, { mode: 'too-many-requests', path: 'batch', times: 1 }],
  ['connections reset', /closed the connection during|reached/, { mode: 'refuse', times: 8 }],
  ['no answer to a batch', /did not respond/, { mode: 'hang', path: 'batch', times: 1 }],
  ['no answer to the op-log', /did not respond/, { mode: 'hang', path: 'oplog', times: 1 }],
  ['answers broken off in their middle', /closed the connection during/, { mode: 'half-body', times: 6 }],
  ['a web page instead of an answer', /web page|HTML|JSON/i, { mode: 'html', times: 6 }],
];

test.each(expectedReports)('%s: nothing is lost, nothing happens twice, and it is told', async (what, told, fault) => {
  const from = world.log.length;
  world.journey.faults.set(fault);
  const expected = await editBoth(world, what);
  await until(() => world.journey.faults.list().length === 0);
  await expectAtRest(world, expected);
  expect(world.log.slice(from).filter((line) => line.startsWith('WARNING'))).toContainEqual(
    expect.stringMatching(told),
  );
  expect(world.log.slice(from)).not.toContainEqual(expect.stringMatching(/^SEVERE/));
  expect(await world.conflicts()).toEqual([]);
  await until(() => world.figures().heliumSyncStatus === 'Live' && world.figures().journeySyncStatus === 'Live');
});

const harmless: readonly (readonly [what: string, fault: Fault])[] = [
  // As many in a row as an answer of a moment ago is borne with.
  ['pages of the op-log repeated', { mode: 'repeat-page', path: 'oplog', times: 4 }],
  ['pages of the op-log that overlap', { mode: 'overlap-page', path: 'oplog', times: 6 }],
  ['pages of the op-log in another order', { mode: 'reorder-page', path: 'oplog', times: 6 }],
  ['slow answers', { mode: 'delay', delayMs: 150, times: 12 }],
];

test.each(harmless)('%s do no harm', async (what, fault) => {
  world.journey.faults.set(fault);
  const expected = await editBoth(world, what);
  await until(() => world.journey.faults.list().length === 0);
  await expectAtRest(world, expected);
  expect(await world.conflicts()).toEqual([]);
});

test('while Journey is away, it shows since when changes wait', async () => {
  world.journey.faults.set({ mode: 'error500', path: 'batch' });
  const expected = await editBoth(world, 'waiting');
  await until(() => world.figures().heliumSyncStatus.startsWith('Waiting: '));
  const { heliumToJourneyWaitingSinceMs } = world.figures();
  expect(heliumToJourneyWaitingSinceMs).toEqual(expect.any(Number));
  const failures = () => world.log.filter((line) => /Helium → Journey: .*500/.test(line)).length;
  const before = failures();
  await until(() => failures() >= before + 3);
  expect(world.figures()).toMatchObject({ heliumToJourneyWaitingSinceMs });
  world.journey.faults.clear();
  await expectAtRest(world, expected);
  await until(() => world.figures().heliumToJourneyWaitingSinceMs === null);
});
