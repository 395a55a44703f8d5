/**
 * Simulates a Helium environment: an HTTP and socket server over real PostgreSQL databases with
 * Helium's layout, and apps that run on their own. It does not depend on the portal.
 *
 * Helium's own interfaces need HTTP Basic credentials of one of the environment's users:
 *
 *   GET  /helium/api/v2/app                                      the apps this user can see
 *   GET  /api/ws2/logging?appId=                                 socket: one JSON text message per log record
 *   GET, POST /api/1/app-exec-admin/app-config/{appId}           POST is a merge patch; responds with text
 *   GET, POST /api/1/app-exec-admin/scheduled-events/{appId}     POST {scheduledEvent: 'Unit:event', state}
 *   GET, POST /api/1/app-exec-admin/service-config/
 *   POST /api/1/login/{appId}                                    200, or 503 while disabled or locked
 *   /api/data/v1/{appId}/{Object}[/{uuid}[/{relation}/{uuid}]]   an app's rows
 *
 * The control routes need no credentials and respond to this machine only:
 *
 *   PUT  /simulator/load/{appId}   {linesPerSecond}              0: as fast as the sockets accept; null: off
 *   POST /simulator/log/{appId}    {lines: [{key, value, millis?}]}
 *   POST /simulator/run/{appId}    {function: 'Unit:event'}      runs it now and returns its result
 *   POST /simulator/upgrade/{appId}                              loads a new release: upgrades the schema
 *   GET, PUT /simulator/faults     {mode, path?, method?, status?, delayMs?, skip?, times?}, a list of them, or null for none
 *   POST /simulator/cut-sockets                                  closes every log socket without a close frame
 *   GET  /simulator/calls          {calls}                       how many other requests there were
 */
import type { Logger } from '@portal/kit/logger';
import { createPool } from '@portal/kit/postgres/pool';
import { type Faults, faultModes } from '../kit/faults.ts';
import { createHttpServer, listen } from '../kit/http-server.ts';
import { startActivity } from './activity.ts';
import { registerAppControls } from './app-controls.ts';
import { registerDataApi } from './data-api.ts';
import type { EnvironmentDefinition } from './definition.ts';
import type { LogLine } from './log-record.ts';
import { serveLogSockets } from './log-sockets.ts';
import { heliumErrors, type Platform, registerPlatformRoutes } from './platform-routes.ts';
import { type DataSource, dropEnvironment, provisionEnvironment, type Team } from './provision.ts';
import { seedHistory } from './run-history.ts';
import type { RunResult } from './run-results.ts';
import { runDueFunctions } from './scheduler.ts';
import { upgradeSchema } from './schema-upgrade.ts';
import { openSettings } from './settings.ts';
import { createSimulatedApp, type SimulatedApp } from './simulated-app.ts';

export interface HeliumSimulatorOptions {
  readonly definition: EnvironmentDefinition;
  /** The superuser address of the PostgreSQL server that holds the environment's databases. */
  readonly postgres: { readonly url: string };
  /**
   * The prefix of database and role names, which the whole server shares. Default: the
   * environment's name.
   */
  readonly namespace?: string;
  /** Default: a free port. */
  readonly port?: number;
  readonly log?: Logger;
  /** Whether apps run their schedules and log on their own. Default: true. */
  readonly live?: boolean;
  /** The length of a minute of a process time-out. Default: 60,000. */
  readonly millisPerMinute?: number;
}

export interface SimulatedAppHandle {
  readonly id: string;
  readonly name: string;
  readonly schemaName: string;
  /** The data source that holds its schema. */
  readonly dataSource: DataSource;
  /** The address of its database for the administrator of the platform. */
  readonly adminUrl: string;
  /** The address of its database for its own role, with its schema first in the search path. */
  readonly url: string;
  log(...lines: LogLine[]): void;
  /** Sends a short frame to the log sockets only, whether or not it is a record. */
  sendToLogSockets(content: string | Buffer): void;
  /** Resolves when everything logged so far is in `__logging_log__`. */
  logWritten(): Promise<void>;
  /**
   * Runs `Unit:event` now; undefined when the app is disabled or the function is already running.
   */
  run(qualifiedName: string): Promise<RunResult | undefined>;
  /**
   * Loads a new release, whose schema is upgraded with the app's own role. Throws PostgreSQL's
   * error when the role has no permission.
   */
  upgrade(): Promise<void>;
  /** 0 means as fast as the sockets accept it; undefined stops it. */
  setLoad(linesPerSecond: number | undefined): void;
  /** The number of open log sockets. */
  viewers(): number;
}

export interface HeliumSimulator {
  readonly baseUrl: string;
  readonly port: number;
  readonly dataSources: readonly [DataSource, ...DataSource[]];
  /** Database users of the developer teams. */
  readonly teams: readonly Team[];
  /** Connects to a data source, given by name, as the administrator of the platform. */
  adminUrl(heliumDataSourceName: string): string;
  readonly faults: Faults;
  /** Returns an app by its name; throws when there is none. */
  app(name: string): SimulatedAppHandle;
  /** Runs the functions scheduled for that minute and waits for all of them. */
  runDue(minute: Date): Promise<RunResult[]>;
  cutSockets(): void;
  /** Keeps every open log socket open but sends nothing more, like a lost network. */
  freezeSockets(): void;
  stop(options?: { dropDatabases?: boolean }): Promise<void>;
}

/** Throws when the port is in use or PostgreSQL cannot be reached. */
export async function startHeliumSimulator(options: HeliumSimulatorOptions): Promise<HeliumSimulator> {
  const { definition, millisPerMinute = 60_000 } = options;
  const plan = { definition, postgresUrl: options.postgres.url, namespace: options.namespace ?? definition.name };
  const provisioned = await provisionEnvironment({
    ...plan,
    fill: (client, app) => seedHistory(client, app, definition.timeZone),
  });
  const settingsPool = createPool(provisioned.adminUrl(provisioned.dataSources[0].heliumDataSourceName), {
    max: 2,
    applicationName: 'helium-platform',
  });
  const settings = await openSettings(settingsPool);
  const apps = definition.apps.map((app) =>
    createSimulatedApp(app, { environment: definition.name, url: provisioned.appUrl(app), settings, millisPerMinute }),
  );
  const platform: Platform = { definition, apps, settings };
  const http = createHttpServer({ modes: faultModes, errors: heliumErrors });
  const { server, faults } = http;
  registerPlatformRoutes(server, platform);
  registerDataApi(server, platform);
  registerAppControls(http, apps);
  const sockets = serveLogSockets(server.server, platform, faults);
  const closeAll = async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await settingsPool.end();
  };
  const { port, baseUrl } = await listen(server, options.port).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  const stopActivity = (options.live ?? true) ? startActivity(platform, options.log) : () => undefined;
  options.log?.info({ environment: definition.name, baseUrl, apps: apps.length }, 'simulated Helium platform started');

  return {
    baseUrl,
    port,
    dataSources: provisioned.dataSources,
    teams: provisioned.teams,
    adminUrl: provisioned.adminUrl,
    faults,
    app: (name) => {
      const app = apps.find((one) => one.definition.name === name);
      const dataSource = provisioned.dataSources.find((one) => one.heliumDataSourceName === app?.definition.dataSource);
      if (app === undefined || dataSource === undefined) throw new Error(`${definition.name} has no app ${name}`);
      return createAppHandle(app, {
        dataSource,
        adminUrl: provisioned.adminUrl(dataSource.heliumDataSourceName),
        url: provisioned.appUrl(app.definition),
      });
    },
    runDue: (minute) => runDueFunctions(platform, minute),
    cutSockets: () => {
      for (const { feed } of apps) feed.cut();
    },
    freezeSockets: () => {
      for (const { feed } of apps) feed.freeze();
    },
    async stop({ dropDatabases } = {}) {
      stopActivity();
      faults.clear();
      sockets.close();
      await server.close();
      await closeAll();
      if (dropDatabases) await dropEnvironment(plan);
    },
  };
}

function createAppHandle(
  app: SimulatedApp,
  addresses: Pick<SimulatedAppHandle, 'dataSource' | 'adminUrl' | 'url'>,
): SimulatedAppHandle {
  return {
    id: app.id,
    name: app.definition.name,
    schemaName: app.definition.schemaName,
    ...addresses,
    log: (...lines) => app.feed.emit(lines),
    sendToLogSockets: (content) => app.feed.emitRaw(content),
    logWritten: () => app.store.flush(),
    async run(qualifiedName) {
      const definition = app.definition.functions.find(({ unit, event }) => `${unit}:${event}` === qualifiedName);
      if (definition === undefined) throw new Error(`${app.definition.name} has no function ${qualifiedName}`);
      return app.run(definition);
    },
    upgrade: () => upgradeSchema(app.pool, app.definition),
    setLoad: app.load.set,
    viewers: app.feed.viewers,
  };
}
