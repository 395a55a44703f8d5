/**
 * Where Journey's changes are not read, it is restored to a copy that was made between two looks at
 * its op-log: no number shows it. A comparison finds what was lost.
 */
import type { SyncConfig } from '@portal/contract/sync/config';
import { expect, test } from 'vitest';
import { createOperations } from '../../operations/operations.ts';
import { answerQuestion, isRecovered, readOpenQuestion } from '../faults/restores/restore-steps.fixture.ts';
import { createWorldForEachTest, world } from '../testing/each-world.fixture.ts';
import { insertRegion, renameRegion, waitUntil } from '../testing/fault-steps.fixture.ts';
import type { TestRun } from '../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../testing/sync-integration.fixture.ts';

/** The op-log is looked at when a run starts and after the first record is sent, and not again. */
createWorldForEachTest({ timing: { pollMs: 3_600_000 } });

const toJourneyOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableJourneyToHelium: false });

const readDifferences = async () =>
  (await createOperations(world.databases, quickRateLimiter()).readDifferences(world.integration, { limit: 9 }))
    .records;

const isInJourney = async (id: string, name: string) => (await world.journeyRows())[`region/${id}`]?.name === name;

async function requestComparison(run: TestRun): Promise<void> {
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
}

/** Syncs a region a minute ago, and starts a run that has had its last look at the op-log. */
async function startAfter(name: string): Promise<{ readonly run: TestRun; readonly first: string }> {
  world.deployment.setClockSkew(-60_000);
  const before = world.start(toJourneyOnly);
  const first = await insertRegion(world, name);
  await waitUntil(() => isInJourney(first, name));
  await waitUntil(() => world.figures().changeLogVersion === '1');
  await before.stop();
  world.deployment.setClockSkew(0);
  const run = world.start(toJourneyOnly);
  await waitUntil(() => world.figures().journeySyncStatus === 'Off');
  const known = async () => (await world.sql('select op_log_point as point from __portal_sync__.run')).rows[0];
  await insertRegion(world, 'before the last look');
  await waitUntil(async () => (await known())?.point?.sequence === '2');
  await waitUntil(() => world.figures().changeLogVersion === '2');
  return { run, first };
}

test('asks when Journey was restored to a copy from between two looks, and sends what it lost', async () => {
  const { run, first } = await startAfter('first');
  const copy = await world.deployment.takeCopy();
  await renameRegion(world, first, 'renamed');
  const second = await insertRegion(world, 'second');
  await waitUntil(async () => (await isInJourney(first, 'renamed')) && (await isInJourney(second, 'second')));
  await waitUntil(() => world.figures().changeLogVersion === '4');
  await world.deployment.restoreCopy(copy);
  await requestComparison(run);
  expect(await run.ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringContaining('It has lost what was written to 2 region records'),
  });
  const question = await readOpenQuestion(world);
  expect(question).toMatchObject({ kind: 'restored', side: 'journey' });
  expect(question.objects[0]).toMatchObject({ table: 'region', onlyInHelium: 1, onlyInJourney: 0, differ: 1 });
  expect(await isInJourney(first, 'first')).toBe(true);
  await answerQuestion(world, question, 'keep-both');
  world.start(toJourneyOnly);
  await waitUntil(() => isRecovered(world));
  expect(await world.journeyRows()).toEqual(await world.heliumRows());
  expect(await world.conflicts()).toMatchObject([
    { id: first, column: 'name', helium: 'renamed', journey: 'first', winner: 'helium' },
  ]);
});

test('asks when only records that were created since the copy are missing', async () => {
  const { run } = await startAfter('first');
  const copy = await world.deployment.takeCopy();
  const second = await insertRegion(world, 'second');
  await waitUntil(() => isInJourney(second, 'second'));
  await waitUntil(() => world.figures().changeLogVersion === '3');
  await world.deployment.restoreCopy(copy);
  await requestComparison(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('to 1 region record,') });
});

test('asks nothing when devices have edited and deleted records, and lists these', async () => {
  const { run, first } = await startAfter('first');
  const second = await insertRegion(world, 'second');
  await waitUntil(() => isInJourney(second, 'second'));
  await waitUntil(() => world.figures().changeLogVersion === '3');
  await world.edit({ method: 'patch', object: { type: 'region', id: first, name: 'by a device' } });
  await world.edit({ method: 'delete', object: { type: 'region', id: second } });
  await requestComparison(run);
  await waitUntil(() => world.log.some((line) => line.includes('Compared region: 3 records, 2 differ on the side')));
  expect((await readDifferences()).map(({ id, kind }) => [id, kind])).toEqual(
    expect.arrayContaining([
      [first, 'changed'],
      [second, 'missing'],
    ]),
  );
});

test('asks nothing when the entries that would name a deletion have expired', async () => {
  const { run } = await startAfter('first');
  const second = await insertRegion(world, 'second');
  await waitUntil(() => isInJourney(second, 'second'));
  await waitUntil(() => world.figures().changeLogVersion === '3');
  await world.edit({ method: 'delete', object: { type: 'region', id: second } });
  world.deployment.setClockSkew(60_000);
  const third = await insertRegion(world, 'third');
  await waitUntil(() => isInJourney(third, 'third'));
  await world.deployment.dropOpLog({ keep: 1 });
  await requestComparison(run);
  await waitUntil(() => world.log.some((line) => line.includes('Compared region: 4 records, 1 differs on the side')));
  expect(await readDifferences()).toMatchObject([{ id: second, kind: 'missing' }]);
});
