import { afterEach, expect, test } from 'vitest';
import { expectAtRest } from './faults/fault-steps.fixture.ts';
import { playKillLoop, randomFrom } from './testing/kill-loop.fixture.ts';
import { findRepeatedValues } from './testing/repeated-values.fixture.ts';
import { createSyncWorld, type SyncWorld } from './testing/sync-world.fixture.ts';

/** `npm run soak` kills more often, with other seeds. */
const kills = Number(process.env.KILLS ?? 50);
const seed = Number(process.env.SEED ?? 20_261_121);

let world: SyncWorld | undefined;

afterEach(() => world?.stop());

test(
  `loses no edit and repeats none when the engine is killed ${kills} times`,
  async () => {
    world = await createSyncWorld();
    const { expected, figures } = await playKillLoop(world, { kills, random: randomFrom(seed) });
    world.start();
    await expectAtRest(world, expected);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await findRepeatedValues(world)).toEqual([]);
    console.log(`seed ${seed}: ${JSON.stringify({ ...figures, writes: await world.deployment.writes() })}`);
  },
  kills * 4_000 + 60_000,
);
