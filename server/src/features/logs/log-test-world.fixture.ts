import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import type { LogHello } from '@portal/contract/logs';
import type { HeliumSimulator, SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import { fastify } from 'fastify';
import pg from 'pg';
import { Registry } from 'prom-client';
import type { ClientOptions } from 'ws';
import { Enforcer } from '../../access/enforcer.ts';
import { createFinders } from '../../access/subjects.ts';
import type { Dependencies } from '../../dependencies.ts';
import { guardOrigin } from '../../http/guard-origin.ts';
import { registerSockets } from '../../http/socket.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { defaultLogLimits, type LogLimits } from './log-limits.ts';
import { TestViewer } from './log-test-viewer.fixture.ts';
import { logsFeature } from './viewers/logs.socket.ts';

/** The default limits with short intervals. */
export const quickLimits: LogLimits = {
  ...defaultLogLimits,
  authorizeBackoff: { initialMs: 20, maxMs: 50 },
  stream: {
    ...defaultLogLimits.stream,
    flushMs: 5,
    lingerMs: 50,
    upstream: {
      ...defaultLogLimits.stream.upstream,
      backoff: { initialMs: 20, maxMs: 50 },
      intake: {
        ...defaultLogLimits.stream.upstream.intake,
        fill: { lines: 50_000, settleMs: 2_000, pollMs: 20 },
      },
    },
  },
};

export interface LogWorld {
  readonly world: SmallWorld;
  readonly helium: HeliumSimulator;
  readonly clinic: SimulatedAppHandle;
  /** Returns a value of the log server's metrics. */
  metric(name: string): Promise<number>;
  /** Returns a client that is signed in to the portal. */
  signIn(userName: string, password: string): Promise<TestClient>;
  /** Opens a viewer of an app; by default of `Clinic Visits`, with batch frames. */
  watch(
    client: TestClient | null,
    hello?: LogHello | string | Buffer | null,
    options?: { appId?: string } & ClientOptions,
  ): TestViewer;
  /** Runs SQL in the app's database, as its owner. */
  onDatabase(sql: string): Promise<void>;
  /** Stops the server with the log sockets and starts another in its place. */
  restart(limits?: LogLimits): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a platform, the portal, and a log server with the test's own limits that shares the
 * portal's sessions.
 */
export async function startLogWorld(limits: LogLimits = quickLimits): Promise<LogWorld> {
  const world = await startSmallWorld();
  const { dependencies } = world.server;
  const clinic = world.helium.app('Clinic Visits');
  let server = await serveLogs(dependencies, limits);
  const viewers: TestViewer[] = [];
  return {
    world,
    helium: world.helium,
    clinic,
    async metric(name) {
      const { values } = (await server.registry.getSingleMetric(name)?.get()) ?? { values: [] };
      return values.reduce((sum, { value }) => sum + value, 0);
    },
    signIn: (userName, password) => world.server.signIn(userName, password),
    watch(client, hello = { batch: true }, { appId = clinic.id, headers, ...options } = {}) {
      const url = `${server.url}/portal-backend/ws/${appId}`;
      const viewer = new TestViewer(url, hello, { ...options, headers: { ...client?.cookieHeaders, ...headers } });
      viewers.push(viewer);
      return viewer;
    },
    async onDatabase(sql) {
      const client = new pg.Client({ connectionString: clinic.url });
      await client.connect();
      await client.query(sql).finally(() => client.end());
    },
    async restart(next = limits) {
      await server.stop();
      server = await serveLogs(dependencies, next);
    },
    async stop() {
      await Promise.all(viewers.map((viewer) => viewer.leave()));
      await server.stop();
      await world.stop();
    },
  };
}

async function serveLogs(dependencies: Dependencies, limits: LogLimits) {
  const registry = new Registry();
  const app = fastify();
  await registerSockets(app);
  guardOrigin(app, undefined);
  await app.register(cookie);
  const { permissions, audit, appDatabases } = dependencies;
  const enforcer = new Enforcer({ permissions, audit, finders: createFinders(appDatabases) });
  logsFeature(app, { ...dependencies, registry, enforcer }, limits);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { registry, url: `ws://127.0.0.1:${port}`, stop: () => app.close() };
}
