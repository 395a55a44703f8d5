import { Secret } from '@portal/kit/secret';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import { waitUntil } from '../../testing/fault-steps.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const reason =
  'Helium does not log all of its changes, because its triggers named __he_sync_obj_… are disabled. Such a change reaches Journey only with a comparison. Enable these triggers.';
let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

async function testConnection(enableHeliumToJourney = true) {
  const { integration, deployment, databases } = world;
  const config = { ...integration.config, enableHeliumToJourney };
  const target = { ...integration, config, journeyPassword: new Secret(deployment.password), isNew: true };
  const operations = createOperations(databases, quickRateLimiter());
  const { notes, problems } = await operations.testConnection(target, new AbortController().signal);
  return { warnings: notes.filter(({ severity }) => severity === 'warning'), problems };
}

test.each(['disable trigger user', 'enable replica trigger __he_sync_obj_delete_after__'])(
  'warns in the test of the connection, and while it runs, of tracking that is switched off by: %s',
  async (change) => {
    world.start();
    await world.waitUntilEqual();
    expect(world.figures().mappingWarnings.count).toBe(0);
    await world.sql(`alter table $s.region ${change}`);
    expect(await testConnection()).toEqual({
      warnings: [{ severity: 'warning', object: 'region', field: null, reason }],
      problems: [],
    });
    expect((await testConnection(false)).warnings).toEqual([]);
    await waitUntil(() => world.figures().mappingWarnings.first[0] === `region: ${reason}`);
    await world.sql(
      'alter table $s.region enable trigger user; alter table $s.region enable trigger __he_sync_obj_delete_after__',
    );
    await waitUntil(() => world.figures().mappingWarnings.count === 0);
    expect((await testConnection()).warnings).toEqual([]);
  },
);
