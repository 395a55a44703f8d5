import { randomUUID } from 'node:crypto';
import { openHeliumDatabase } from '@portal/platforms/helium-database/database';
import { readStatements } from '@portal/platforms/helium-database/statistics/statements';
import { readStatisticsServer } from '@portal/platforms/helium-database/statistics/statistics-server';
import { expect, onTestFinished, test } from 'vitest';
import { getStateOfApp } from '../../integration/state-key.ts';
import { insertRegion, renameRegion, waitUntil } from '../testing/fault-steps.fixture.ts';
import { dataSource, environment } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../testing/sync-world.fixture.ts';

/** Returns the statements of a role as the statistics of the portal list them. */
async function listStatements({ helium }: SyncWorld, role: string, { withOwn }: { withOwn: boolean }) {
  const database = openHeliumDatabase({ name: dataSource, url: helium.url });
  const server = await readStatisticsServer(database);
  if (!server.extension) throw new Error('the test database has no extension');
  const queries: string[] = [];
  await readStatements(database, server, server.extension, { withOwn }, (statements) => {
    for (const { ranBy, queryJson } of statements) if (ranBy === role) queries.push(JSON.parse(queryJson));
  });
  await database.close();
  return queries;
}

test('leaves no statement on its own state in the statistics of the portal, also none inside others', async () => {
  const world = await createSyncWorld();
  onTestFinished(() => world.stop());
  // A role of its own separates the engine's statements from those of the test.
  const role = `engine_${randomUUID().slice(0, 8)}`;
  await world.sql(`create role ${role} superuser login password 'secret'`);
  await world.sql('create extension pg_stat_statements');
  await world.sql('drop schema __portal_sync__ cascade');
  const url = Object.assign(new URL(world.helium.url), { username: role, password: 'secret' }).href;
  const databases = openDatabases(url);
  onTestFinished(async () => {
    await databases.stop();
    await world.sql(`drop owned by ${role} cascade`);
    await world.sql(`drop role ${role}`);
  });

  await databases.get(environment, dataSource).prepare(getStateOfApp(world.integration));
  const run = world.start(undefined, undefined, databases);
  const id = await insertRegion(world, 'from Helium', 1);
  await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'from Journey', code: 2 } });
  await world.waitUntilEqual();
  await renameRegion(world, id, 'renamed');
  await world.waitUntilEqual();
  // A code that the region of Helium already has.
  await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'held', code: 1 } });
  await waitUntil(async () => (await world.held()).length > 0);
  await run.stop();

  const own = (queries: readonly string[]) => queries.filter((query) => query.includes('__portal_sync__'));
  // How many depends on other tests: the server has room for a limited number of statements.
  expect(own(await listStatements(world, role, { withOwn: true }))).not.toEqual([]);
  expect(own(await listStatements(world, role, { withOwn: false }))).toEqual([]);
});
