/** Kills engine processes at random moments while people edit both sides. */
import { setTimeout as pause } from 'node:timers/promises';
import { createEngines, type EngineOptions } from '../../testing/engine-processes.fixture.ts';
import type { SyncWorld } from '../../testing/sync-world.fixture.ts';

/** An engine lives at most this long after its start. */
const lifeMs = 700;

export interface KillLoop {
  readonly kills: number;
  readonly random: () => number;
  /** Makes the next edit. */
  readonly edit: () => Promise<void>;
  readonly engine?: EngineOptions;
}

/** Runs until this many engines were killed. */
export async function playKillLoop(world: SyncWorld, { kills, random, edit, engine }: KillLoop): Promise<void> {
  const engines = await createEngines(world);
  let isOver = false;
  const editing = (async () => {
    while (!isOver) {
      await edit();
      await pause(random() * 20);
    }
  })();
  // Reported once the engines are stopped.
  editing.catch(() => undefined);
  try {
    for (let killed = 0; killed < kills; killed += 1) {
      const running = await engines.start(engine);
      await pause(random() * lifeMs);
      await running.kill();
    }
  } finally {
    isOver = true;
    engines.stop();
    await editing;
  }
}

/** Returns the same numbers for the same seed (xorshift). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
