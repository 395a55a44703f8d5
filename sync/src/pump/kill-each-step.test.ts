import { afterEach, expect, test } from 'vitest';
import type { Fields } from '../record/fields.ts';
import { editBothSides } from './faults/fault-steps.fixture.ts';
import { createCountedConnection, type KillMoment } from './testing/counted-connection.fixture.ts';
import { createEngines } from './testing/engine-processes.fixture.ts';
import { findRepeatedValues } from './testing/repeated-values.fixture.ts';
import { createSyncWorld, type SyncWorld } from './testing/sync-world.fixture.ts';

/** `npm run soak` kills at every message. */
const every = Number(process.env.EVERY ?? 9);

let world: SyncWorld | undefined;

afterEach(() => world?.stop());

test.each<KillMoment>(['undelivered', 'unanswered'])(
  'loses and repeats nothing when the engine is killed while its message is %s, at one message after another',
  async (moment) => {
    world = await createSyncWorld();
    const { killed, expected } = await killAtEachMessage(world, moment);
    console.log(`${killed} engines killed`);
    expect(killed).toBeGreaterThan(50 / every);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await findRepeatedValues(world)).toEqual([]);
  },
  600_000,
);

/**
 * Continues until an engine comes to rest before the message to stop at. After each kill, another
 * engine brings both sides to rest.
 */
async function killAtEachMessage(world: SyncWorld, moment: KillMoment) {
  const connection = createCountedConnection();
  const engines = await createEngines(world);
  const addresses = {
    heliumUrl: await connection.through(world.helium.url),
    journeyUrl: await connection.through(world.deployment.url),
  };
  let expected: Record<string, Fields> = {};
  try {
    for (let [number, killed] = [1, 0]; ; number += every) {
      expected = { ...expected, ...(await editBothSides(world, `${moment} ${number}`)) };
      const killedAtMessage = connection.stopAtMessage(number, moment).then(() => 'killed' as const);
      const engine = await engines.start(addresses);
      const rested = world.waitUntilEqual().then(() => 'rested' as const);
      const end = await Promise.race([killedAtMessage, rested]);
      await engine.kill();
      const next = world.start();
      await world.waitUntilEqual();
      await next.stop();
      await rested;
      if (end === 'rested') return { killed, expected };
      killed += 1;
    }
  } finally {
    engines.stop();
    await connection.close();
  }
}
