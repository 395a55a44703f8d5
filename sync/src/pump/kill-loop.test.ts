import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { expectAtRest } from './faults/fault-steps.fixture.ts';
import { playKillLoop, randomFrom } from './kill-loop.fixture.ts';
import { createSyncWorld, type SyncWorld } from './sync-world.fixture.ts';

/** `npm run soak` kills more often, and otherwise. */
const kills = Number(process.env.KILLS ?? 50);
const seed = Number(process.env.SEED ?? 20_261_121);

const opLogPage = z.object({
  entries: z.array(
    z.object({ object: z.object({ id: z.string(), name: z.unknown().optional(), code: z.unknown().optional() }) }),
  ),
});

let world: SyncWorld | undefined;

afterEach(() => world?.stop());

test(
  `an engine that is killed ${kills} times loses no edit, and makes none twice`,
  async () => {
    world = await createSyncWorld();
    const { expected, figures } = await playKillLoop(world, { kills, random: randomFrom(seed) });
    world.start();
    await expectAtRest(world, expected);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await valuesThatCameTwice(world)).toEqual([]);
    console.log(`seed ${seed}: ${JSON.stringify({ ...figures, writes: await world.deployment.writes() })}`);
  },
  kills * 4_000 + 60_000,
);

/** Values that Journey's records took on more than once: each is given only once, by whichever side. */
async function valuesThatCameTwice({ deployment }: SyncWorld): Promise<string[]> {
  const seen = new Map<string, { name: unknown; code: unknown; values: Set<string> }>();
  const twice: string[] = [];
  for (let start = 1; ; start += 1_000) {
    const answer = await fetch(`${deployment.url}/oplog.json?start=${start}&end=${start + 1_000}&limit=1000`, {
      headers: { authorization: `Basic ${btoa(`${deployment.userName}:${deployment.password}`)}` },
    });
    const { entries } = opLogPage.parse(await answer.json());
    if (entries.length === 0) return twice;
    for (const { object } of entries) {
      const { id, name = null, code = null } = object;
      const before = seen.get(id) ?? { name: null, code: null, values: new Set<string>() };
      for (const [field, value, was] of [
        ['name', name, before.name],
        ['code', code, before.code],
      ]) {
        const told = `${id} ${field} ${value}`;
        if (value !== was && value !== null && before.values.has(told)) twice.push(told);
        before.values.add(told);
      }
      seen.set(id, { ...before, name, code });
    }
  }
}
