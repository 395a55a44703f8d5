import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { defaultHttpLimits, type HttpLimits } from '@portal/edge/http-limits';
import { createLogger } from '@portal/kit/logger';
import { migrate } from '@portal/kit/postgres/migrate';
import { createMigratedDatabase } from '@portal/kit/postgres/test-database';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { buildApp } from '../app.ts';
import { configSchema } from '../config.ts';
import { migrationsFolder } from '../database/migrations-folder.ts';
import { createDependencies, type Dependencies, type Freshness, type Times } from '../dependencies.ts';
import { createInstantClock } from './instant-clock.ts';
import { TestClient } from './test-client.ts';

const noCaching: Freshness = { sessionMs: 0, appsMs: 0, configMs: 0, rightsMs: 0, syncsMs: 0, recheckMs: 60_000 };

/** The simulator keeps what a change does not send. A test with another platform sets `helium`. */
const helium = { appConfig: { write: { style: 'merge' } } } as const;

type WrittenConfig = z.input<typeof configSchema>;

export interface TestServerOptions extends Partial<WrittenConfig> {
  readonly environments: WrittenConfig['environments'];
  /** Caching is off by default, so that tests see the current state. */
  readonly freshness?: Partial<Freshness>;
  readonly pageFolder?: string;
  readonly limits?: Partial<HttpLimits>;
  readonly times?: Times;
  /** Whether apps are checked in the background. By default, tests call `appChecker.checkAll()`. */
  readonly checksApps?: boolean;
}

export interface TestServer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly app: FastifyInstance;
  readonly dependencies: Dependencies;
  /** Address of the portal's database. */
  readonly databaseUrl: string;
  /** Everything logged so far, as text. */
  logged(): string;
  /** Returns a client that is not signed in. */
  client(): TestClient;
  /** Returns a signed-in client; in the first environment by default. */
  signIn(userName: string, password: string, baseUrl?: string): Promise<TestClient>;
  stop(): Promise<void>;
}

/**
 * Starts the real server on a free port. Creates a database in the test run's PostgreSQL unless
 * `databaseUrl` is given.
 */
export async function startTestServer({
  freshness,
  pageFolder,
  limits,
  times = {},
  checksApps = false,
  ...written
}: TestServerOptions): Promise<TestServer> {
  const database = written.databaseUrl === undefined ? await createMigratedDatabase(migrationsFolder) : undefined;
  const databaseUrl = written.databaseUrl ?? database?.url ?? '';
  const stateFolder = await mkdtemp(join(tmpdir(), 'portal-state-'));
  const environments = written.environments.map((environment) => ({ helium, ...environment }));
  const config = configSchema.parse({ stateFolder, logLevel: 'debug', ...written, environments, databaseUrl });
  if (!database) await migrate(config, migrationsFolder);

  let logged = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const logger = createLogger({ name: 'server', level: config.logLevel, destination });
  const dependencies = createDependencies(
    config,
    logger,
    { ...noCaching, ...freshness },
    {
      ...(!checksApps && { appChecks: { clock: createInstantClock() } }),
      ...times,
    },
  );
  await dependencies.notifications.start();
  if (checksApps) dependencies.appChecker.start();
  const app = await buildApp(dependencies, {
    ...(pageFolder !== undefined && { pageFolder }),
    limits: { ...defaultHttpLimits, ...limits },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    app,
    dependencies,
    databaseUrl,
    logged: () => logged,
    client: () => new TestClient(url),
    signIn: (userName, password, baseUrl = config.environments[0]?.baseUrl ?? '') =>
      new TestClient(url).signIn(userName, password, baseUrl),
    async stop() {
      await app.close();
      await dependencies.stop();
      await database?.drop();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
}
