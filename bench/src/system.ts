import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from '@portal/contract/apps';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import { heliumPaths } from '@portal/platforms/helium/wire';
import { startChild } from './child.ts';
import { type LoopFigures, loopQuestion } from './loop-figures.ts';

/** The portal, its platform and PostgreSQL, each in its own process, as in production. */
export interface System {
  readonly origin: string;
  readonly serverPid: number;
  /** null without a sync service, like `syncUrl`. */
  readonly syncPid: number | null;
  readonly syncUrl: string | null;
  /** The portal's database. */
  readonly databaseUrl: string;
  signIn(who?: {
    readonly userName: string;
    readonly password: string;
  }): Promise<{ readonly cookie: string; readonly baseUrl: string; readonly apps: readonly App[] }>;
  /**
   * Makes an app log at this rate in lines per second; 0 means as fast as possible, null stops it.
   */
  setLoad(appId: string, linesPerSecond: number | null): Promise<void>;
  /** The address of an app's log on the platform, for a relay that bypasses the portal. */
  logUpstream(appId: string): { readonly upstream: string; readonly authorization: string };
  /** The event loop and the memory of each service since the last call; only with `watchLoops`. */
  readLoops(): Promise<Readonly<Record<string, LoopFigures>>>;
  stop(): Promise<void>;
}

export interface BenchDataSource {
  readonly heliumDataSourceName: string;
  readonly hostname: string;
  readonly dbName: string;
  readonly url: string;
}

export interface SystemOptions {
  /** A platform with this many empty apps instead of the simulated one. */
  readonly apps?: number;
  /** For the server's process, e.g. `--cpu-prof`. */
  readonly serverFlags?: readonly string[];
  /** Additional configuration of the portal. */
  readonly config?: object;
  /** Also starts the sync service, in its own process. */
  readonly withSync?: boolean;
  readonly watchLoops?: boolean;
  /** Additional PostgreSQL settings. */
  readonly postgresSettings?: Record<string, string>;
  /** Creates the benchmark's databases and returns their part of the portal's configuration. */
  readonly prepare?: (
    postgres: PostgresServer,
  ) => Promise<{ readonly dataSources: readonly BenchDataSource[]; readonly teamUsers: readonly string[] }>;
}

/** Of the portal's configuration, 32 bytes. */
export const encryptionKey = 'ab'.repeat(32);

const watchFlags = ['--expose-gc', '--import', fileURLToPath(new URL('loop-watch.ts', import.meta.url))];

const demo = { userName: 'demo', password: 'demo' };

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const {
    apps,
    serverFlags = [],
    config: extraConfig = {},
    withSync = false,
    watchLoops = false,
    postgresSettings = {},
    prepare,
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), isFast: true, settings: postgresSettings });
  const prepared = (await prepare?.(postgres)) ?? { dataSources: [], teamUsers: [] };
  const platform = apps
    ? await startChild<{ url: string }>('./many-apps.ts', { amount: apps })
    : await startChild<{ url: string }>('./helium-platform.ts', { postgresUrl: postgres.url });
  const baseUrl = platform.ready.url;
  const config = join(folder, 'portal.config.yaml');
  const helium = { appConfig: { write: { style: 'merge' } } };
  const environments = [{ name: 'Production', baseUrl, timeZone: 'Africa/Johannesburg', helium, ...prepared }];
  // JSON is valid YAML.
  const configure = (more: object) =>
    writeFileSync(config, JSON.stringify({ stateFolder: folder, environments, ...extraConfig, ...more }), {
      mode: 0o600,
    });
  configure({});
  const env = {
    PORTAL_CONFIG: config,
    PORTAL_DATABASE_URL: postgres.url,
    PORTAL_ENCRYPTION_KEY: encryptionKey,
    PORT: '0',
    SYNC_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const nodeFlags = [...serverFlags, ...(watchLoops ? watchFlags : [])];
  const sync = withSync
    ? await startChild<{ address: string }, string>('../../sync/src/main.ts', null, {
        nodeFlags: watchLoops ? watchFlags : [],
        env,
      })
    : undefined;
  if (sync) configure({ sync: { url: sync.ready.address } });
  const server = await startChild<{ address: string }, string>('../../server/src/main.ts', null, { nodeFlags, env });
  const origin = server.ready.address;

  return {
    origin,
    serverPid: server.pid,
    syncPid: sync?.pid ?? null,
    syncUrl: sync?.ready.address ?? null,
    databaseUrl: postgres.url,
    async signIn({ userName, password } = demo) {
      const response = await fetch(`${origin}/portal-backend/api/apps`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ credentials: { userName, password }, baseUrl }),
      });
      if (!response.ok) throw new Error(`sign-in returned ${response.status} ${await response.text()}`);
      const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      return { cookie, baseUrl, apps: await response.json() };
    },
    async setLoad(appId, linesPerSecond) {
      const response = await fetch(`${baseUrl}/simulator/load/${appId}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ linesPerSecond }),
      });
      if (!response.ok) throw new Error(`the platform returned ${response.status} ${await response.text()}`);
    },
    logUpstream: (appId) => ({
      upstream: `${baseUrl.replace('http', 'ws')}${heliumPaths.logging}?appId=${appId}`,
      authorization: `Basic ${Buffer.from(`${demo.userName}:${demo.password}`).toString('base64')}`,
    }),
    async readLoops() {
      const services = { server, ...(sync && { 'sync service': sync }) };
      const figures = Object.entries(services).map(async ([name, child]) => [
        name,
        await child.ask<LoopFigures>(loopQuestion),
      ]);
      return Object.fromEntries(await Promise.all(figures));
    },
    async stop() {
      await server.stop();
      await sync?.stop();
      await platform.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
