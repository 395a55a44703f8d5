import { createLogger } from '@portal/kit/logger';
import { migrate } from '@portal/kit/postgres/migrate';
import { hasOpenssl, startTlsServer, type TlsServer } from '@portal/kit/postgres/tls-server.fixture';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from './create-engine.ts';
import { createIntegration, environment } from './engine/testing/sync-integration.fixture.ts';
import { describeFailure } from './integration/describe-failure.ts';
import { migrationsFolder, migrationTable } from './portal-store/migrations-folder.ts';
import { testConfig } from './service-config.fixture.ts';
import { createServiceParts } from './setup/service-parts.ts';
import { startService } from './start-service.ts';

describe.skipIf(!hasOpenssl)('with databases that insist on TLS', () => {
  let server: TlsServer;
  beforeAll(async () => {
    server = await startTlsServer();
  });
  afterAll(() => server.stop());

  const withSettings = () => server.urlFor(`sslmode=verify-full&sslrootcert=${server.authority.certificate}`);
  const integration = {
    ...createIntegration({ id: 'one', url: 'http://127.0.0.1:1/api/v4/one', userName: 'one' }, 'app'),
    dataSource: 'apps-1',
  };

  test('the service starts, listens to notifications, and keeps its state in the data source', async () => {
    const config = testConfig(withSettings());
    await migrate(withSettings(), migrationsFolder, migrationTable);
    const parts = await createServiceParts(config, createLogger({ name: 'sync', level: 'fatal' }));
    const engine = createEngine(parts);
    const service = await startService(parts, engine, { host: '127.0.0.1', port: 0 });
    expect((await fetch(`${service.address}/health`)).status).toBe(200);
    const to = { direction: 'helium-to-journey', version: '1', fence: '1' } as const;
    await engine.operations.moveCursor(integration, to);
    expect(await engine.operations.readQuestion(integration)).toBeNull();
    await service.stop();
  });

  test('an address without the settings is reported when the connection is tested, by actions, and by a run', async () => {
    const engine = createEngine({ config: testConfig(server.urlFor()) });
    const sentence = 'The data source apps-1 insists on TLS; add sslmode=verify-full to its address.';
    const target = {
      environment,
      appId: 'app',
      dataSource: 'apps-1',
      config: integration.config,
      journeyPassword: new Secret('secret'),
      isNew: true,
    };
    const tried = await engine.operations.testConnection(target, new AbortController().signal);
    expect(tried.helium).toEqual({ reached: false, message: sentence });
    await expect(engine.operations.readQuestion(integration)).rejects.toMatchObject({ message: sentence, status: 503 });
    const failure = await migrate(server.urlFor(), migrationsFolder, migrationTable).catch((error: unknown) => error);
    expect(describeFailure(failure)).toBe('The database insists on TLS; add sslmode=verify-full to its address.');
    await engine.stop();
  });
});
