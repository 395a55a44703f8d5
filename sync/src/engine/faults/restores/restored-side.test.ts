/** One side is restored from a backup while the other side and the engine's state stay. */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { RecoveryAnswer, RestoredQuestion, Side } from '@portal/contract/sync/recovery';
import { describe, expect, test } from 'vitest';
import { saveQuestion } from '../../../sync-state/questions.store.ts';
import { backUpHelium, restoreHelium } from '../../testing/backups.fixture.ts';
import { createCountedConnection } from '../../testing/counted-connection.fixture.ts';
import { createWorldForAllTests, createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import {
  deleteRegion,
  expectNoEcho,
  insertRegion,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { quickPolls } from '../../testing/sync-integration.fixture.ts';
import { openDatabases, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import {
  answerQuestion,
  type BothSides,
  expectPredicted,
  expectQuestion,
  inSetup,
  isRecovered,
  type RestoredIds,
  readBothSides,
  readOpenQuestion,
  restoreSide,
  setups,
  waitUntilRecovered,
} from './restore-steps.fixture.ts';

const answers: readonly RecoveryAnswer[] = ['keep-both', 'helium', 'journey'];
const sides: readonly Side[] = ['helium', 'journey'];

describe.each(sides)('%s was restored', (side) => {
  describe.each(setups)('%s', (setup) => {
    let ids: RestoredIds;
    let question: RestoredQuestion;
    let before: BothSides;

    // Each test starts when the restore was found.
    createWorldForAllTests(
      async () => {
        ids = await restoreSide(world, side, setup);
        question = await expectQuestion(world, setup);
        before = await readBothSides(world);
      },
      { timing: quickPolls },
    );

    test.each(answers)('does what was predicted for %s', async (answer) => {
      await answerQuestion(world, question, answer);
      world.start(inSetup(setup));
      await waitUntilRecovered(world);
      expectPredicted(before, await readBothSides(world), { question, answer });
    });

    if (setup !== 'both ways') return;

    test('halts without changing anything, and reports what differs', () => {
      const [onlyOnRestored, onlyOnOther] = [
        { region: 1, farmer: 0 },
        { region: 2, farmer: 1 },
      ];
      const onlyIn = (one: Side, table: 'region' | 'farmer') => (one === side ? onlyOnRestored : onlyOnOther)[table];
      expect(question).toMatchObject({ kind: 'restored', side });
      expect(question.objects).toEqual([
        {
          table: 'region',
          toHelium: true,
          toJourney: true,
          onlyInHelium: onlyIn('helium', 'region'),
          onlyInJourney: onlyIn('journey', 'region'),
          differ: 1,
          comingBack: 1,
        },
        {
          table: 'farmer',
          toHelium: true,
          toJourney: true,
          onlyInHelium: onlyIn('helium', 'farmer'),
          onlyInJourney: onlyIn('journey', 'farmer'),
          // Its reference was cleared with the deleted region.
          differ: 1,
          comingBack: 0,
        },
        {
          table: 'visit',
          toHelium: true,
          toJourney: true,
          onlyInHelium: 0,
          onlyInJourney: 0,
          differ: 0,
          comingBack: 0,
        },
      ]);
      expect(question.reason).toMatch(/restored.* Nothing was changed\. Open the integration and choose/);
    });

    test('keeps every record on both sides, and both values of what differs, for keep-both', async () => {
      const { renamed, madeInHelium, madeOnDevice, deleted } = ids;
      await answerQuestion(world, question, 'keep-both');
      world.start();
      await waitUntilRecovered(world);
      await world.waitUntilEqual();
      const rows = await world.heliumRows();
      for (const id of [renamed, madeInHelium, madeOnDevice, deleted]) expect(rows).toHaveProperty(`region/${id}`);
      const [helium, journey] = side === 'helium' ? ['first', 'second'] : ['second', 'first'];
      expect(await world.conflicts()).toMatchObject([{ id: renamed, column: 'name', helium, journey }]);
    });

    test.each(answers)('recovers the same after each kill in the middle of %s', async (answer) => {
      await answerQuestion(world, question, answer);
      const killed = await killUntilRecovered(world);
      expect(killed).toBeGreaterThan(1);
      world.start();
      await waitUntilRecovered(world);
      expectPredicted(before, await readBothSides(world), { question, answer });
    });
  });
});

describe('in a world of its own', () => {
  createWorldForEachTest({ timing: quickPolls });

  test('makes the other side equal whatever the conflict policy is, also where a deletion clears references', async () => {
    const inFavorOfHelium = (config: SyncConfig): SyncConfig => ({ ...config, conflictPolicy: 'helium' });
    await restoreSide(world, 'journey');
    const question = await expectQuestion(world, 'both ways');
    const { journey } = await readBothSides(world);
    await answerQuestion(world, question, 'journey');
    world.start(inFavorOfHelium);
    await waitUntilRecovered(world);
    expect(await readBothSides(world)).toEqual({ helium: journey, journey });
    expect(await world.conflicts()).toEqual([]);
  });

  test('continues the comparison when Journey fails, and finds the restore again after it was stopped', async () => {
    await restoreSide(world, 'helium');
    world.journey.faults.set({ mode: 'error500', path: 'query' });
    const run = world.start();
    await waitForLog(world, /WARNING Comparing both sides: .* Retrying/);
    await run.stop();
    world.journey.faults.set({ mode: 'error500', path: 'query', times: 3 });
    const question = await expectQuestion(world, 'both ways');
    expect(question.objects).toHaveLength(3);
    expect(world.journey.faults.list()).toEqual([]);
  });

  test('counts what Helium deleted before as coming back, also when only Helium → Journey was on', async () => {
    const oneWay = inSetup('Helium to Journey only');
    const run = world.start(oneWay);
    const inJourney = async () => Object.keys(await world.journeyRows()).length;
    const [deleted] = [await insertRegion(world, 'deleted since'), await insertRegion(world, 'unchanged')];
    await waitUntil(async () => (await inJourney()) === 2);
    await expectNoEcho(world);
    const copy = await backUpHelium(world);
    await deleteRegion(world, deleted);
    await waitUntil(async () => (await inJourney()) === 1);
    await expectNoEcho(world);
    await run.stop();
    await restoreHelium(world, copy);
    const { objects } = await expectQuestion(world, 'Helium to Journey only');
    expect(objects.find(({ table }) => table === 'region')).toMatchObject({ onlyInHelium: 1, comingBack: 1 });
  });

  test.each([
    ...answers.map((answer) => ({ answer, log: 'whole' })),
    { answer: 'helium', log: 'expired up to the edit' },
  ] as const)('keeps an edit of Journey that we replaced unread: $answer, op-log $log', async ({ answer, log }) => {
    const run = world.start();
    const id = await insertRegion(world, 'first');
    await world.waitUntilEqual();
    const copy = await backUpHelium(world);
    world.journey.faults.set({ mode: 'error500', path: 'oplog' });
    if (log !== 'whole') await world.deployment.dropOpLog({ keep: 0 });
    await world.edit({ method: 'patch', object: { type: 'region', id, name: 'by a device' } });
    await renameRegion(world, id, 'in Helium');
    await waitUntil(async () => (await world.journeyRows())[`region/${id}`]?.name === 'in Helium');
    await run.stop();
    await restoreHelium(world, copy);
    world.journey.faults.clear();
    await answerQuestion(world, await expectQuestion(world, 'both ways'), answer);
    world.start();
    await waitUntilRecovered(world);
    expect(await world.conflicts()).toContainEqual(
      expect.objectContaining({ id, column: 'name', helium: 'in Helium', journey: 'by a device' }),
    );
  });

  test('changes only the tables that went back, and reads what was planned for others as usual', async () => {
    const run = world.start();
    const [regionId, visitId] = [await insertRegion(world, 'region'), randomUUID()];
    await world.waitUntilEqual();
    await run.stop();
    const session = await world.helium.connect();
    await session.query('set session_replication_role = replica; delete from region');
    await world.edit({ method: 'put', object: { type: 'visit', id: visitId, note: 'read in full' } });
    const planned = { head: null, tables: ['visit'], afterId: null, count: 0 };
    await world.sql(
      'update __portal_sync__.run set op_log_cursor = op_log_cursor + 1, snapshot_to_helium = $1, fence = $2',
      [JSON.stringify(planned), world.nextFence()],
    );
    const { rows } = await world.sql('select state_id as "stateId", fence::text from __portal_sync__.run');
    const counts = { toHelium: true, toJourney: true, onlyInHelium: 0, onlyInJourney: 1, differ: 0, comingBack: 0 };
    await saveQuestion(world.helium.pool, rows[0], {
      kind: 'restored',
      reason: 'The table region was created again.',
      side: 'helium',
      asOf: null,
      tables: ['region'],
      objects: [{ table: 'region', ...counts }],
    });
    expect(await world.journeyRows()).toHaveProperty(`region/${regionId}`);
    await answerQuestion(world, await readOpenQuestion(world), 'helium');
    world.start();
    await waitUntilRecovered(world);
    await world.waitUntilEqual();
    expect(Object.keys(await world.heliumRows())).toEqual([`visit/${visitId}`]);
  });
});

/** Kills an engine at one message after another, each some messages later than the one before. */
async function killUntilRecovered(world: SyncWorld): Promise<number> {
  const connection = createCountedConnection();
  const [heliumUrl, baseUrl] = [
    await connection.through(world.helium.url),
    await connection.through(world.deployment.url),
  ];
  try {
    for (let kills = 0; ; kills += 1) {
      const killed = connection.stopAtMessage(20 + 15 * kills, 'unanswered').then(() => 'killed' as const);
      const databases = openDatabases(heliumUrl);
      const engine = world.start(
        (config) => ({ ...config, journey: { ...config.journey, baseUrl } }),
        world.integration.configVersion,
        databases,
      );
      let isKilled = false;
      const recovered = waitUntil(async () => isKilled || (await isRecovered(world))).then(() => 'recovered' as const);
      const end = await Promise.race([killed, recovered]);
      // Nothing that the engine does from here on leaves it, as if its process were killed.
      connection.cut();
      isKilled = true;
      await engine.stop();
      await databases.stop();
      await recovered;
      if (end === 'recovered') return kills;
    }
  } finally {
    await connection.close();
  }
}
