/**
 * The world of the tests of a file, or of a `describe`. Call one of these functions first in it.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { backUpWorld } from './backups.fixture.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from './sync-world.fixture.ts';

/** The world of the running test. */
export let world: SyncWorld;

export function createWorldForEachTest(options?: SyncWorldOptions): void {
  beforeEach(async () => {
    world = await createSyncWorld(options);
  });
  afterEach(() => world.stop());
}

/** Prepares one world. Each test starts at that moment, whatever the tests before it did. */
export function createWorldForAllTests(prepare: () => Promise<void>, options?: SyncWorldOptions): void {
  let bringBack: () => Promise<void>;
  beforeAll(async () => {
    world = await createSyncWorld(options);
    await prepare();
    await world.stopRuns();
    bringBack = await backUpWorld(world);
  });
  beforeEach(() => bringBack());
  afterAll(() => world.stop());
}
