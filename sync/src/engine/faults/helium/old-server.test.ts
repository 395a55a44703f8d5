import { pretendOldServer } from '@portal/kit/postgres/old-server.fixture';
import { Secret } from '@portal/kit/secret';
import { expect, onTestFinished, test } from 'vitest';
import { getStateOfApp } from '../../../integration/state-key.ts';
import { createOperations } from '../../../operations/operations.ts';
import { dataSource, environment, quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, openDatabases } from '../../testing/sync-world.fixture.ts';

test('reports a data source that is too old when the connection is tested, and before a run', async () => {
  const world = await createSyncWorld();
  onTestFinished(() => world.stop());
  const databases = openDatabases(await pretendOldServer(world.helium.url, 100023));
  onTestFinished(() => databases.stop());
  const message =
    'The data source helium-app-1 runs PostgreSQL 10.23, but PostgreSQL 11 is the oldest supported version; upgrade the server.';

  const { integration, deployment } = world;
  const target = { ...integration, journeyPassword: new Secret(deployment.password), isNew: true };
  const { signal } = new AbortController();
  const { helium } = await createOperations(databases, quickRateLimiter()).testConnection(target, signal);
  expect(helium).toEqual({ reached: false, message });
  await expect(databases.get(environment, dataSource).prepare(getStateOfApp(integration))).rejects.toMatchObject({
    message,
  });
});
