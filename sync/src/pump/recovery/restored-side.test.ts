/** One side is restored from a backup while the other side and the engine's state stay. */
import type { RecoveryAnswer, Side } from '@portal/contract/sync-recovery';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../faults/fault-steps.fixture.ts';
import { createCountedConnection } from '../testing/counted-connection.fixture.ts';
import { createEngines } from '../testing/engine-processes.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import {
  answerQuestion,
  expectPredicted,
  expectQuestion,
  inSetup,
  isRecovered,
  readBothSides,
  restoreSide,
  setups,
  waitUntilRecovered,
} from './restore-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

const answers: readonly RecoveryAnswer[] = ['keep-both', 'helium', 'journey'];
const sides: readonly Side[] = ['helium', 'journey'];

describe.each(sides)('%s was restored', (side) => {
  test('halts without changing anything, and reports what differs', async () => {
    await restoreSide(world, side);
    const question = await expectQuestion(world, side, 'both ways');
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
      { table: 'visit', toHelium: true, toJourney: true, onlyInHelium: 0, onlyInJourney: 0, differ: 0, comingBack: 0 },
    ]);
    expect(question.reason).toMatch(/restored\..* Nothing was changed\. Open the integration and choose/);
  });

  describe.each(setups)('%s', (setup) => {
    test.each(answers)('does what was predicted for %s', async (answer) => {
      await restoreSide(world, side, setup);
      const question = await expectQuestion(world, side, setup);
      const before = await readBothSides(world);
      await answerQuestion(world, question, answer);
      world.start(inSetup(setup));
      await waitUntilRecovered(world);
      expectPredicted(before, await readBothSides(world), { question, answer });
    });
  });

  test('keeps every record on both sides, and both values of what differs, for keep-both', async () => {
    const { renamed, madeInHelium, madeOnDevice, deleted } = await restoreSide(world, side);
    const question = await expectQuestion(world, side, 'both ways');
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
    await restoreSide(world, side);
    const question = await expectQuestion(world, side, 'both ways');
    const before = await readBothSides(world);
    await answerQuestion(world, question, answer);
    const killed = await killUntilRecovered(world);
    expect(killed).toBeGreaterThan(1);
    world.start();
    await waitUntilRecovered(world);
    expectPredicted(before, await readBothSides(world), { question, answer });
  });
});

/** Kills an engine at one message after another, each some messages later than the one before. */
async function killUntilRecovered(world: SyncWorld): Promise<number> {
  const connection = createCountedConnection();
  const engines = await createEngines(world);
  const addresses = {
    heliumUrl: await connection.through(world.helium.url),
    journeyUrl: await connection.through(world.deployment.url),
  };
  try {
    for (let kills = 0; ; kills += 1) {
      const killed = connection.stopAtMessage(20 + 15 * kills, 'unanswered').then(() => 'killed' as const);
      const engine = await engines.start(addresses);
      let isKilled = false;
      const recovered = waitUntil(async () => isKilled || (await isRecovered(world))).then(() => 'recovered' as const);
      const end = await Promise.race([killed, recovered]);
      await engine.kill();
      isKilled = true;
      await recovered;
      if (end === 'recovered') return kills;
    }
  } finally {
    engines.stop();
    await connection.close();
  }
}
