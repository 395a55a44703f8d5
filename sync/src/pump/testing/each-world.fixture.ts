/** A world for each test of a file. */
import { afterEach, beforeEach } from 'vitest';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from './sync-world.fixture.ts';

/** The world of the running test. */
export let world: SyncWorld;

/** Call it once, at the top of a file. */
export function createWorldForEachTest(options?: SyncWorldOptions): void {
  beforeEach(async () => {
    world = await createSyncWorld(options);
  });
  afterEach(() => world.stop());
}
