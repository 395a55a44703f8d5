/**
 * Apps, Journey deployments and the sync service between them. Simulator and service each have
 * their own process.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { receiveWebhook } from '@portal/contract/operations';
import type { SyncConfig } from '@portal/contract/sync/config';
import { createEncryption } from '@portal/kit/encryption';
import { migrate } from '@portal/kit/postgres/migrate';
import { createPool, inTransaction } from '@portal/kit/postgres/pool';
import { Secret } from '@portal/kit/secret';
import { insertIntegration } from '@portal/sync/portal-store/integrations.store';
import { Passwords } from '@portal/sync/portal-store/journey-passwords';
import { migrationsFolder, migrationTable } from '@portal/sync/portal-store/migrations-folder';
import { WebhookReceivers } from '@portal/sync/portal-store/webhooks.store';
import { heapFlags } from '@portal/system/heap-flags';
import type pg from 'pg';
import { type Child, startChild } from '../child.ts';
import { createAppSchema, deploymentId, getSchemaName } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import type { BackendArgument, BackendOrder, BackendReady } from './journey-backend.ts';
import type { Written } from './memory-backend.ts';

const environment = 'Bench';
const dataSource = 'helium-app-1';
const key = 'ab'.repeat(32);

export interface SyncWorldOptions {
  /** Used in the names of its databases. */
  readonly name: string;
  /** Number of integrations; defaults to 1. */
  readonly apps?: number;
  /** Whether calls to Journey have the default rates of the service; unlimited otherwise. */
  readonly hasDefaultRates?: boolean;
  /** Whether the object has a photo. */
  readonly hasPhotos?: boolean;
  /** Whether Journey answers from memory, instead of the simulator with its database. */
  readonly isInMemory?: boolean;
}

/** The first message of both services. */
export interface ServiceReady {
  readonly address: string;
}

export interface SyncWorld {
  /** Sessions with the apps' database and with the simulator's, which is empty if it has none. */
  readonly helium: pg.Client;
  readonly journey: pg.Client;
  readonly portal: pg.Client;
  readonly heliumDatabase: string;
  readonly backend: Child<BackendReady, BackendOrder | 'written'>;
  /** The table of the first app's object. */
  readonly table: string;
  /**
   * Starts the real service, with the heap limits of `npm start`, and returns when it is ready,
   * before it has taken over its integrations.
   */
  startService(nodeFlags?: readonly string[]): Promise<Child<ServiceReady>>;
  /** Starts the real server in front of the service, to which all deployments send webhooks. */
  startServerForWebhooks(service: Child<ServiceReady>): Promise<Child<ServiceReady>>;
  /** Number of entries in the first deployment's op-log. */
  opLogHead(): Promise<number>;
  /** Mean number of operations in the batches so far. */
  operationsPerBatch(): Promise<number>;
  /** Returns when both directions report that they have caught up. */
  waitUntilLive(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the logins of the portal besides those of apps, as a company does. */
async function createLogins(helium: pg.Client, name: string) {
  const logins = { reading: `bench_${name}_reading`, granting: `bench_${name}_granting`, password: 'bench' };
  await helium.query(
    `create role ${logins.reading} login password '${logins.password}' in role pg_read_all_stats;
     create role ${logins.granting} login createrole password '${logins.password}';
     grant create on database ${helium.database} to ${logins.granting}`,
  );
  return logins;
}

export async function createSyncWorld(clusters: Clusters, options: SyncWorldOptions): Promise<SyncWorld> {
  const { name, apps = 1, hasDefaultRates = false, hasPhotos = false, isInMemory = false } = options;
  const { source, target } = clusters;
  const heliumDatabase = `helium_${name}`;
  const helium = await clusters.connect(source, heliumDatabase);
  const portal = await clusters.connect(target, `portal_${name}`);
  const portalUrl = target.urlFor(`portal_${name}`);
  const logins = await createLogins(helium, name);
  for (let app = 0; app < apps; app += 1) {
    const role = `bench_${name}_${app}`;
    await createAppSchema(helium, { app, role, hasPhotos });
    await helium.query(`grant ${role} to ${logins.granting} with admin true, inherit true, set true`);
  }
  const argument: BackendArgument = {
    postgresUrl: target.url,
    database: `journey_${name}`,
    deployments: apps,
    hasPhotos,
  };
  const backend = await startChild<BackendReady, BackendOrder | 'written'>(
    isInMemory ? './sync/memory-backend.ts' : './sync/journey-backend.ts',
    argument,
  );
  const journey = await clusters.connect(target, `journey_${name}`);
  await migrate(portalUrl, migrationsFolder, migrationTable);
  await storeIntegrations(portalUrl, backend.ready, apps);

  const config = join(clusters.folder, `${name}.config.yaml`);
  const urlOf = (username: string) =>
    Object.assign(new URL(source.urlFor(heliumDatabase)), { username, password: logins.password }).href;
  const dataSources = [
    {
      heliumDataSourceName: dataSource,
      hostname: 'pg-bench',
      dbName: heliumDatabase,
      url: urlOf(logins.reading),
      grantUrl: urlOf(logins.granting),
    },
  ];
  const journeyBaseUrls = [`${backend.ready.baseUrl}/api/v4/`];
  const environments = [{ name: environment, baseUrl: 'http://helium.example.org', dataSources, journeyBaseUrls }];
  const unlimited = { perSecond: 1e6, burst: 1e6 };
  const sync = hasDefaultRates ? {} : { journeyRate: unlimited, journeyHostRate: unlimited };
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ environments, sync }), { mode: 0o600 });
  const env = {
    PORTAL_CONFIG: config,
    PORTAL_DATABASE_URL: portalUrl,
    PORTAL_ENCRYPTION_KEY: key,
    SYNC_PORT: '0',
    LOG_LEVEL: 'fatal',
  };
  return {
    helium,
    journey,
    portal,
    heliumDatabase,
    backend,
    table: `${getSchemaName(0)}.visit`,
    startService: (nodeFlags = []) =>
      startChild('../../sync/dist/main.mjs', null, { env, nodeFlags: [...heapFlags.sync, ...nodeFlags] }),
    async startServerForWebhooks({ ready }) {
      const server = await startChild<ServiceReady>('../../server/dist/main.mjs', null, {
        env: { ...env, PORTAL_SYNC_URL: ready.address, PORT: '0' },
      });
      const { rows } = await portal.query<{ id: string; appId: string; address: string }>(
        'select id, app_id as "appId", webhook_address as address from sync.integration order by id',
      );
      const pool = createPool(portalUrl, { applicationName: 'bench', max: 1 });
      const receivers = new WebhookReceivers(pool, createEncryption(new Secret(key)));
      for (const [app, integration] of rows.entries()) {
        const webhooks = `${server.ready.address}${receiveWebhook.path.replace(':address', integration.address)}`;
        const secrets = await backend.ask<string[]>({ webhooks, app });
        await receivers.saveSecrets({ ...integration, environment }, secrets);
      }
      await pool.end();
      return server;
    },
    async opLogHead() {
      if (isInMemory) return (await backend.ask<Written>('written')).opLogHead;
      const { rows } = await journey.query('select last_sequence::int as head from deployment order by key limit 1');
      return rows[0]?.head ?? 0;
    },
    async operationsPerBatch() {
      if (isInMemory) return (await backend.ask<Written>('written')).operationsPerBatch;
      // A batch is one transaction of the simulator.
      const { rows } = await journey.query(
        `select count(*) / count(distinct xmin::text)::float8 as each from op_log where origin = 'api'`,
      );
      return rows[0]?.each ?? 0;
    },
    async waitUntilLive() {
      await waitUntil(async () => {
        const { rows } = await portal.query(
          `select count(*)::int as live from sync.figures
           where figures->>'heliumSyncStatus' = 'Live' and figures->>'journeySyncStatus' = 'Live'`,
        );
        return rows[0]?.live === apps;
      }, 100);
    },
    async stop() {
      await backend.stop();
    },
  };
}

async function storeIntegrations(portalUrl: string, { baseUrl, password }: BackendReady, apps: number): Promise<void> {
  const pool = createPool(portalUrl, { applicationName: 'bench', max: 1 });
  const passwords = new Passwords(pool, createEncryption(new Secret(key)));
  for (let app = 0; app < apps; app += 1) {
    const appId = randomUUID();
    await inTransaction(pool, (client) =>
      insertIntegration(client, {
        environment,
        appId,
        appName: `Bench ${app}`,
        dataSource,
        config: createConfig(app, appId, baseUrl),
        sealedPassword: passwords.seal(new Secret(password), { environment, appId }),
        by: 'bench',
      }),
    );
  }
  await pool.end();
}

function createConfig(app: number, appId: string, baseUrl: string): SyncConfig {
  const id = deploymentId(app);
  return {
    enabled: true,
    enableJourneyToHelium: true,
    enableHeliumToJourney: true,
    helium: { appId, dbSchema: getSchemaName(app), baseUrl: 'http://helium.example.org' },
    journey: { appId: id, baseUrl: `${baseUrl}/api/v4/${id}`, restAPICredentials: { userName: id } },
    heliumToJourney: { changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
    journeyToHelium: { oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
    journeyToHeliumEnrollment: {
      type: 'user',
      enabled: false,
      heliumObjectName: 'visit',
      journeyObjectName: 'user',
      updateIntervalMins: 15,
    },
  };
}

/** Polls until the condition is true. */
export async function waitUntil(condition: () => Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
