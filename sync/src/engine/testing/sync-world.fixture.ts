/**
 * An app's schema, a Journey deployment and the engine between them, on real PostgreSQL and real
 * HTTP.
 */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { SyncConflict } from '@portal/contract/sync/conflicts';
import type { HeldRecord } from '@portal/contract/sync/records';
import { withClient } from '@portal/kit/postgres/pool';
import { Secret } from '@portal/kit/secret';
import type { DeploymentHandle, JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { createTestJourneyDatabase, startTestJourney } from '@portal/simulators/journey/test-simulator';
import type pg from 'pg';
import { expect, vi } from 'vitest';
import {
  createHeliumFixture,
  foreignKey,
  type HeliumFixture,
  schema,
  type TestTables,
} from '../../helium/helium-gateway.fixture.ts';
import type { Figures } from '../../integration/figures.ts';
import type { StoredIntegration } from '../../integration/integration.ts';
import type { Fields } from '../../record/fields.ts';
import { defaultKeptFiles, type KeptFileLimits } from '../../sync-state/conflict-files.store.ts';
import { HeliumDatabases, type HeliumDatabasesOptions } from '../../sync-state/helium-databases.ts';
import { listConflicts, listHeld } from '../../sync-state/operations.store.ts';
import { prepareState } from '../../sync-state/schema.ts';
import type { Timing } from '../run/pace/timing.ts';
import { createStartRun } from '../run/start-run.ts';
import { type RestartingRun, runWithRestarts, type TestRun } from './restarting-run.fixture.ts';
import {
  createIntegration,
  dataSource,
  environment,
  noFigures,
  patientMs,
  quickRateLimiter,
  quickTiming,
  quickUnloggedMs,
} from './sync-integration.fixture.ts';
import { intentsUnderWay, readHeliumRows, readJourneyRows } from './world-rows.fixture.ts';

export const worldTables = {
  region: ['name text', 'code integer unique'],
  farmer: ['name text', 'age integer', 'active boolean', 'seen_at timestamp', 'region_fk uuid', 'friend_fk uuid'],
  visit: ['note text', 'hectares double precision', 'done_on date', 'farmer_fk uuid'],
} as const;

const worldKeys = [
  foreignKey('farmer', 'region_fk', 'region'),
  foreignKey('farmer', 'friend_fk', 'farmer'),
  foreignKey('visit', 'farmer_fk', 'farmer'),
].join('\n');

export const worldSchemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="region" label="Region">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <has-many model="farmer" name="farmers"/>
    <display>{name}</display>
  </model>
  <model name="farmer" label="Farmer">
    <field name="name" label="Name" type="text"/>
    <field name="age" label="Age" type="integer"/>
    <field name="active" label="Active" type="boolean"/>
    <field name="seen_at" label="Seen at" type="datetime"/>
    <belongs-to model="region"/>
    <belongs-to model="farmer" name="friend"/>
    <has-many model="visit" name="visits"/>
    <has-many model="farmer" name="friends" inverse-of="friend"/>
    <display>{name}</display>
  </model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="hectares" label="Hectares" type="number"/>
    <field name="done_on" label="Done on" type="date"/>
    <belongs-to model="farmer"/>
    <display>{note}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

/** `npm run soak` runs some tests at full size, which takes too long for the default suite. */
export const isSoak = process.env.WHOLE === '1';

export interface SyncWorld {
  readonly helium: HeliumFixture;
  readonly journey: JourneySimulator;
  readonly deployment: DeploymentHandle;
  readonly integration: StoredIntegration;
  /** `LEVEL text`, of all runs. */
  readonly log: string[];
  readonly databases: HeliumDatabases;
  figures(): Figures;
  /** Replaces figures, as a run does. */
  publish(change: Partial<Figures>): void;
  /**
   * Runs the integration like the service: restarts it after each interruption, until it is stopped
   * or halts.
   */
  startWithRestarts(change?: (config: SyncConfig) => SyncConfig, configVersion?: number): RestartingRun;
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Changes Journey's own tables, as a restore of its database does. */
  journeySql(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Saves as a device; throws when an operation is rejected. */
  edit(...operations: Parameters<DeploymentHandle['device']['edit']>): Promise<void>;
  /** The held records, oldest first. */
  held(): Promise<HeldRecord[]>;
  conflicts(): Promise<SyncConflict[]>;
  /** Returns a greater fence than all before. */
  nextFence(): string;
  /**
   * Starts a run. A later run has a greater fence.
   *
   * @param configVersion greater than before when the integration was saved
   * @param throughDatabases the Helium database under another address
   */
  start(
    change?: (config: SyncConfig) => SyncConfig,
    configVersion?: number,
    throughDatabases?: HeliumDatabases,
  ): TestRun;
  /** Waits until both sides are equal and nothing is left to do. */
  waitUntilEqual(): Promise<void>;
  /** All objects in Journey, by table and id. */
  journeyRows(): Promise<Record<string, Fields>>;
  heliumRows(): Promise<Record<string, Fields>>;
  stopRuns(): Promise<void>;
  stop(): Promise<void>;
}

export interface SyncWorldOptions {
  readonly tables?: TestTables;
  /** Runs after the tables are created: foreign keys and other objects. */
  readonly sql?: string;
  readonly schemaXml?: string;
  readonly timing?: Partial<Timing>;
  /** How many files that lose a conflict are kept; a test may change it at any time. */
  readonly keptFiles?: KeptFileLimits;
  /** The superuser address of a server other than the default one. */
  readonly serverUrl?: string;
}

export async function createSyncWorld(options: SyncWorldOptions = {}): Promise<SyncWorld> {
  const { tables = worldTables, sql: ddl = worldKeys, schemaXml = worldSchemaXml } = options;
  const helium = await createHeliumFixture({
    tables,
    sql: ddl,
    ...(options.serverUrl !== undefined && { serverUrl: options.serverUrl }),
    prepare: prepareState,
  });
  const journeyDatabase = await createTestJourneyDatabase();
  const journey = await startTestJourney({
    database: journeyDatabase.name,
    deployments: [{ ...smallDeployment, schemaXml }],
  });
  const deployment = journey.deployment(smallDeployment.id);
  const appId = randomUUID();
  const integration = createIntegration(deployment, appId);
  const log: string[] = [];
  let figures = noFigures;
  let fence = 0;
  const runs: TestRun[] = [];
  const databases = openDatabases(helium.url);
  const engine = {
    rateLimiter: quickRateLimiter(),
    timing: { ...quickTiming, ...options.timing },
    keptFiles: options.keptFiles ?? defaultKeptFiles,
  };

  const heliumRows = () => readHeliumRows(helium, tables);
  const journeyRows = () => readJourneyRows(deployment, tables);
  const publish = (change: Partial<Figures>) => {
    figures = { ...figures, ...change };
  };
  const stopRuns = async () => {
    await Promise.all(runs.splice(0).map((run) => run.stop()));
  };

  const world: SyncWorld = {
    helium,
    journey,
    deployment,
    integration,
    log,
    databases,
    figures: () => figures,
    publish,
    nextFence() {
      fence += 1;
      return String(fence);
    },
    sql: (text, values = []) => helium.pool.query(text.replaceAll('$s', schema), values),
    journeySql: (text, values) =>
      withClient({ connectionString: journeyDatabase.url }, (client) => client.query(text, values)),
    async edit(...operations) {
      for (const outcome of await deployment.device.edit(...operations)) if (!outcome.success) throw outcome.problem;
    },
    async held() {
      const { rows } = await helium.pool.query(
        'select state_id from __portal_sync__.run order by state_id desc limit 1',
      );
      return (await listHeld(helium.pool, rows[0]?.state_id ?? 0, { limit: 1000 })).records;
    },
    async conflicts() {
      const { rows } = await helium.pool.query(
        'select state_id from __portal_sync__.run order by state_id desc limit 1',
      );
      return (await listConflicts(helium.pool, rows[0]?.state_id ?? 0, { limit: 1000 })).conflicts;
    },
    startWithRestarts: (change, configVersion) => runWithRestarts(() => world.start(change, configVersion)),
    start(change = (config) => config, configVersion = integration.configVersion, throughDatabases = databases) {
      const ending = new AbortController();
      let wake: () => void = () => undefined;
      let receiveWebhook: () => void = () => undefined;
      let tryNow: () => void = () => undefined;
      const ended = createStartRun({ ...engine, databases: throughDatabases })({
        integration: { ...integration, figures, config: change(integration.config), configVersion },
        fence: world.nextFence(),
        journeyPassword: new Secret(deployment.password),
        signal: ending.signal,
        assertLease: () => undefined,
        log: (key, value) => log.push(`${key} ${value}`),
        publish,
        reportBug: (error) => log.push(`BUG ${error}`),
        withSlot: (work) => work(),
        onWake: (listener) => {
          wake = listener;
        },
        onWebhook: (listener) => {
          receiveWebhook = listener;
        },
        onTryNow: (listener) => {
          tryNow = listener;
        },
      });
      ended.catch(() => undefined);
      const run = {
        ended,
        wake: () => wake(),
        receiveWebhook: () => receiveWebhook(),
        tryNow: () => tryNow(),
        async stop() {
          ending.abort();
          await ended.catch(() => undefined);
        },
      };
      runs.push(run);
      return run;
    },
    heliumRows,
    async waitUntilEqual() {
      await vi.waitFor(
        async () => {
          const { rows } = await helium.pool.query(
            `select (select count(*)::int from ${intentsUnderWay}) as intents,
               (select count(*)::int from __portal_sync__.dirty) as dirty,
               (select coalesce(max(seq), 0)::text from ${schema}.__he_sync_obj_change__) as head,
               (select change_log_cursor::text from __portal_sync__.run) as cursor`,
          );
          expect(rows[0]).toEqual({ intents: 0, dirty: 0, head: rows[0].cursor, cursor: rows[0].cursor });
          expect(await heliumRows()).toEqual(await journeyRows());
        },
        { timeout: isSoak ? 600_000 : 100_000, interval: isSoak ? 1_000 : 50 },
      );
    },
    journeyRows,
    stopRuns,
    async stop() {
      await stopRuns();
      await databases.stop();
      await journey.stop({ dropDatabase: true });
      await helium.drop();
    },
  };
  return world;
}

export interface SeparateLogins {
  readonly grantUrl: string;
  readonly key: Secret;
}

/** Returns the pools of an engine that reaches the Helium database under this address. */
export function openDatabases(
  heliumUrl: string,
  logins?: SeparateLogins,
  limits: Pick<HeliumDatabasesOptions, 'silence' | 'deadConnections'> = {},
): HeliumDatabases {
  const url = new Secret(heliumUrl);
  const grantUrl = logins && new Secret(logins.grantUrl);
  const environments = [{ name: environment, dataSources: [{ heliumDataSourceName: dataSource, url, grantUrl }] }];
  return new HeliumDatabases(environments, 8, {
    idleInTransactionMs: patientMs,
    unloggedEveryMs: quickUnloggedMs,
    key: logins?.key,
    ...limits,
  });
}
