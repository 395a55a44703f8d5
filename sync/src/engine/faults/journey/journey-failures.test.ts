/** Journey, or the network in front of it, fails or responds incorrectly. */
import type { Fault } from '@portal/simulators/journey/simulator';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { editBothSides, expectAtRest, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const fileStartedMs = Date.now();
let world: SyncWorld;

beforeAll(async () => {
  // Only the faults without any response wait for this long.
  world = await createSyncWorld({ timing: { callTimeoutMs: 1_000, slowCallMs: 100 } });
  world.start();
  await world.waitUntilEqual();
});
afterEach(() => world.journey.faults.clear());
afterAll(() => world.stop());

const expectedReports: readonly (readonly [what: string, report: RegExp, fault: Fault])[] = [
  [
    'responses lost after the batch was applied',
    /closed the connection during/,
    { mode: 'drop', path: 'batch', times: 1 },
  ],
  ['half a batch applied', /500/, { mode: 'half-batch', path: 'batch', times: 1 }],
  ['a series of 500 responses', /500/, { mode: 'error500', times: 30 }],
  ['a series of 502 responses', /502/, { mode: 'error500', status: 502, times: 30 }],
  ['a series of 503 responses', /503/, { mode: 'error500', status: 503, times: 30 }],
  ['429 responses to batches', /too many calls/, { mode: 'too-many-requests', path: 'batch', times: 1 }],
  ['connections reset', /closed the connection during|reached/, { mode: 'refuse', times: 8 }],
  ['no response to a batch', /did not respond/, { mode: 'hang', path: 'batch', times: 1 }],
  ['no response to the op-log', /did not respond/, { mode: 'hang', path: 'oplog', times: 1 }],
  ['responses cut off midway', /closed the connection during/, { mode: 'half-body', times: 6 }],
  ['a web page instead of a response', /web page|HTML|JSON/i, { mode: 'html', times: 6 }],
];

test.each(expectedReports)('loses and repeats nothing, and logs the failure: %s', async (what, report, fault) => {
  const from = world.log.length;
  world.journey.faults.set(fault);
  const expected = await editBothSides(world, what);
  await waitUntil(() => world.journey.faults.list().length === 0);
  await expectAtRest(world, expected);
  expect(world.log.slice(from).filter((line) => line.startsWith('WARNING'))).toContainEqual(
    expect.stringMatching(report),
  );
  expect(world.log.slice(from)).not.toContainEqual(expect.stringMatching(/^SEVERE/));
  expect(await world.conflicts()).toEqual([]);
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live' && world.figures().journeySyncStatus === 'Live');
});

const harmless: readonly (readonly [what: string, fault: Fault])[] = [
  ['repeated op-log pages', { mode: 'repeat-page', path: 'oplog', times: 12 }],
  ['overlapping op-log pages', { mode: 'overlap-page', path: 'oplog', times: 6 }],
  ['reordered op-log pages', { mode: 'reorder-page', path: 'oplog', times: 6 }],
  ['slow responses', { mode: 'delay', delayMs: 150, times: 12 }],
];

test.each(harmless)('tolerates %s', async (what, fault) => {
  world.journey.faults.set(fault);
  const expected = await editBothSides(world, what);
  await waitUntil(() => world.journey.faults.list().length === 0);
  await expectAtRest(world, expected);
  expect(await world.conflicts()).toEqual([]);
});

test('shows since when changes wait while Journey is unavailable', async () => {
  world.journey.faults.set({ mode: 'error500', path: 'batch' });
  const expected = await editBothSides(world, 'waiting');
  await waitUntil(() => world.figures().heliumSyncStatus.startsWith('Waiting: '));
  const { heliumToJourneyWaitingSinceMs } = world.figures();
  expect(heliumToJourneyWaitingSinceMs).toEqual(expect.any(Number));
  const failures = () => world.log.filter((line) => /Helium → Journey: .*500/.test(line)).length;
  const before = failures();
  await waitUntil(() => failures() >= before + 3);
  expect(world.figures()).toMatchObject({ heliumToJourneyWaitingSinceMs });
  world.journey.faults.clear();
  await expectAtRest(world, expected);
  await waitUntil(() => world.figures().heliumToJourneyWaitingSinceMs === null);
});

test('shows since when Journey has not answered a call, before the call times out', async () => {
  const patient = await createSyncWorld({ timing: { callTimeoutMs: 3_600_000, slowCallMs: 100 } });
  onTestFinished(() => patient.stop());
  patient.start();
  await waitUntil(() => patient.figures().journeySyncStatus === 'Live');
  const from = patient.log.length;
  patient.journey.faults.set({ mode: 'hang', path: 'oplog', times: 1 });
  await waitUntil(() => patient.journey.faults.list().length === 0);
  await waitUntil(() => patient.figures().unansweredSinceMs !== null);
  expect(patient.figures().unansweredSinceMs).toBeGreaterThan(fileStartedMs);
  expect(patient.figures().unansweredSinceMs).toBeLessThanOrEqual(Date.now());
  expect(patient.log.slice(from).filter((line) => !line.startsWith('INFO'))).toEqual([]);
  patient.journey.cutConnections();
  await waitUntil(() => patient.figures().unansweredSinceMs === null);
});
