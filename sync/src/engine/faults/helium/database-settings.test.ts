/** Settings of Helium's database that change how PostgreSQL reads and writes texts. */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { insertRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld } from '../../testing/sync-world.fixture.ts';

test.each([
  ['array_nulls', 'off'],
  ['quote_all_identifiers', 'on'],
])('syncs everything in a database with %s = %s', async (name, value) => {
  const world = await createSyncWorld();
  onTestFinished(() => world.stop());
  await world.sql(`do $$ begin execute format('alter database %I set ${name} = ${value}', current_database()); end $$`);
  const run = world.startWithRestarts();
  const sent = await insertRegion(world, 'sent', 1);
  const written = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: written, name: 'written' } });
  await waitUntil(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `region/${sent}` in journey && `region/${written}` in helium;
  });
  await world.edit({ method: 'delete', object: { type: 'region', id: sent } });
  await world.waitUntilEqual();
  expect(run.interruptions).toEqual([]);
  expect(world.figures().mappingWarnings.count).toBe(0);
});
