import { afterEach, expect, test } from 'vitest';
import type { Fields } from '../record/fields.ts';
import { editBoth } from './faults/fault-steps.fixture.ts';
import { createCountedLine, type Moment } from './testing/counted-line.fixture.ts';
import { createEngines } from './testing/engine-processes.fixture.ts';
import { createSyncWorld, type SyncWorld } from './testing/sync-world.fixture.ts';
import { valuesThatCameTwice } from './testing/values-that-came-twice.fixture.ts';

/** `npm run soak` leaves out none. */
const every = Number(process.env.EVERY ?? 9);

let world: SyncWorld | undefined;

afterEach(() => world?.stop());

test.each<Moment>(['unheard', 'unanswered'])(
  'an engine that is killed while what it says is %s, at one word after the other, loses nothing and does nothing twice',
  async (moment) => {
    world = await createSyncWorld();
    const { killed, expected } = await killAtEachWord(world, moment);
    console.log(`${killed} engines killed`);
    expect(killed).toBeGreaterThan(50 / every);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await valuesThatCameTwice(world)).toEqual([]);
  },
  600_000,
);

/**
 * Until an engine comes to rest before its last word; after each kill another one brings both sides
 * to rest.
 */
async function killAtEachWord(world: SyncWorld, moment: Moment) {
  const line = createCountedLine();
  const engines = await createEngines(world);
  const addresses = {
    heliumUrl: await line.through(world.helium.url),
    journeyUrl: await line.through(world.deployment.url),
  };
  let expected: Record<string, Fields> = {};
  try {
    for (let [number, killed] = [1, 0]; ; number += every) {
      expected = { ...expected, ...(await editBoth(world, `${moment} ${number}`)) };
      const atLast = line.untilWord(number, moment).then(() => 'killed' as const);
      const engine = await engines.begin(addresses);
      const rested = world.untilEqual().then(() => 'rested' as const);
      const end = await Promise.race([atLast, rested]);
      await engine.kill();
      const next = world.start();
      await world.untilEqual();
      await next.stop();
      await rested;
      if (end === 'rested') return { killed, expected };
      killed += 1;
    }
  } finally {
    engines.end();
    await line.close();
  }
}
