import { afterEach, expect, test } from 'vitest';
import { waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
afterEach(() => world.stop());

test('reports that nothing is synced, instead of Live, when no table pairs with an object of Journey', async () => {
  const schemaXml = `<data-model>
    <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
  </data-model>`;
  world = await createSyncWorld({ schemaXml });
  world.start();
  const state = 'Nothing is synced: Helium and Journey have no tracked object in common that is not paused.';
  await waitUntil(async () => {
    const { heliumSyncStatus, journeySyncStatus } = world.figures();
    return heliumSyncStatus === state && journeySyncStatus === state;
  });
  expect(world.log.some((line) => line.startsWith('INFO Running: 0 objects'))).toBe(true);
});
