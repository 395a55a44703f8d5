/** Restores of the databases that hold the engine's state and the integrations. */
import { expect, test } from 'vitest';
import { createWorldForEachTest, world } from '../testing/each-world.fixture.ts';
import { expectAtRest, insertRegion, regionFields } from './fault-steps.fixture.ts';

createWorldForEachTest();

test("creates the engine's schema again when a restore removes it while the service runs", async () => {
  const run = world.startWithRestarts();
  const id = await insertRegion(world, 'before');
  await world.waitUntilEqual();
  await world.sql('drop schema __portal_sync__ cascade');
  const laterId = await insertRegion(world, 'after');
  await expectAtRest(world, { [`region/${id}`]: regionFields('before'), [`region/${laterId}`]: regionFields('after') });
  await run.stop();
});

test('halts an integration that ran with a later configuration, until it is enabled again', async () => {
  const first = world.start();
  await world.waitUntilEqual();
  await first.stop();
  await world.sql('update __portal_sync__.run set config_version = 7');
  const id = await insertRegion(world, 'changed since');
  expect(await world.start().ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/restored from an older backup: it has version 1 .* version 7 was already running/),
  });
  expect(await world.journeyRows()).toEqual({});
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionFields('changed since') });
});
