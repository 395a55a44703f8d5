import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '@portal/contract/apps';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import { heliumPaths } from '@portal/platforms/helium/wire';
import { startChild } from './child.ts';

/**
 * The portal, its platform and PostgreSQL, each in a process of its own, as they are when people
 * use them.
 */
export interface System {
  readonly origin: string;
  readonly serverPid: number;
  /** null without a sync service. */
  readonly syncPid: number | null;
  /** Of the portal's own database. */
  readonly databaseUrl: string;
  signIn(who?: {
    readonly userName: string;
    readonly password: string;
  }): Promise<{ readonly cookie: string; readonly baseUrl: string; readonly apps: readonly App[] }>;
  /** Makes an app log so many lines a second; 0 is as fast as they are taken, null ends it. */
  setLoad(appId: string, linesPerSecond: number | null): Promise<void>;
  /** Where the platform streams an app's log, for a relay that reads it without the portal. */
  logUpstream(appId: string): { readonly upstream: string; readonly authorization: string };
  stop(): Promise<void>;
}

export interface BenchDataSource {
  readonly heliumDataSourceName: string;
  readonly hostname: string;
  readonly dbName: string;
  readonly url: string;
}

export interface SystemOptions {
  /** A platform with so many empty apps instead of the living one. */
  readonly apps?: number;
  /** For the server's process, e.g. `--cpu-prof`. */
  readonly serverFlags?: readonly string[];
  /** The sync service beside it, in a process of its own. */
  readonly withSync?: boolean;
  /** PostgreSQL settings beside the usual ones. */
  readonly postgresSettings?: Record<string, string>;
  /** Makes databases of the bench's own and gives what the portal's configuration says of them. */
  readonly prepare?: (
    postgres: PostgresServer,
  ) => Promise<{ readonly dataSources: readonly BenchDataSource[]; readonly teamUsers: readonly string[] }>;
}

const demo = { userName: 'demo', password: 'demo' };

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const { apps, serverFlags = [], withSync = false, postgresSettings = {}, prepare } = options;
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), fast: true, settings: postgresSettings });
  const prepared = (await prepare?.(postgres)) ?? { dataSources: [], teamUsers: [] };
  const platform = apps
    ? await startChild<{ url: string }>('./many-apps.ts', { amount: apps })
    : await startChild<{ url: string }>('./helium-platform.ts', { postgresUrl: postgres.url });
  const baseUrl = platform.ready.url;
  const config = join(folder, 'portal.config.yaml');
  const environments = [{ name: 'Production', baseUrl, timeZone: 'Africa/Johannesburg', ...prepared }];
  // JSON is YAML too.
  const configure = (more: object) =>
    writeFileSync(config, JSON.stringify({ stateFolder: folder, environments, ...more }), { mode: 0o600 });
  configure({});
  const env = {
    PORTAL_CONFIG: config,
    PORTAL_DATABASE_URL: postgres.url,
    PORTAL_ENCRYPTION_KEY: 'ab'.repeat(32),
    PORT: '0',
    SYNC_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const sync = withSync ? await startChild<{ address: string }>('../../sync/src/main.ts', null, { env }) : undefined;
  if (sync) configure({ sync: { url: sync.ready.address } });
  const server = await startChild<{ address: string }>('../../server/src/main.ts', null, {
    nodeFlags: serverFlags,
    env,
  });
  const origin = server.ready.address;

  return {
    origin,
    serverPid: server.pid,
    syncPid: sync?.pid ?? null,
    databaseUrl: postgres.url,
    async signIn(who = demo) {
      const answer = await fetch(`${origin}/portal-backend/api/apps`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ credentials: who, baseUrl }),
      });
      if (!answer.ok) throw new Error(`sign-in answered ${answer.status} ${await answer.text()}`);
      const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      return { cookie, baseUrl, apps: await answer.json() };
    },
    async setLoad(appId, linesPerSecond) {
      const answer = await fetch(`${baseUrl}/simulator/load/${appId}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ linesPerSecond }),
      });
      if (!answer.ok) throw new Error(`the platform answered ${answer.status} ${await answer.text()}`);
    },
    logUpstream: (appId) => ({
      upstream: `${baseUrl.replace('http', 'ws')}${heliumPaths.logging}?appId=${appId}`,
      authorization: `Basic ${Buffer.from(`${demo.userName}:${demo.password}`).toString('base64')}`,
    }),
    async stop() {
      await server.stop();
      await sync?.stop();
      await platform.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
