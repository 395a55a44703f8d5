import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { createLogger } from '@portal/kit/logger';
import { isFree, rememberedPort } from '@portal/kit/ports';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import { prepareOwnedDatabase } from '@portal/kit/postgres/owned-database';
import { takeProcessLock } from '@portal/kit/process-lock';
import { shutDownInOrder } from '@portal/kit/shutdown';
import { readConfig } from '@portal/server/config';
import { writeDemoConfiguration } from './demo/configuration.ts';
import { scheduleDemoDeployments } from './demo/deployments.ts';
import { createDemoIntegrations } from './demo/integrations.ts';
import { addDemoShifts } from './demo/shifts.ts';
import { startServiceProcess } from './service-process.ts';
import { findSyncPlace } from './sync-address.ts';

export interface SystemOptions {
  /** The project's folder. */
  readonly root: string;
  /** Makes the page the server serves; runs beside everything else. */
  readonly preparePage?: () => Promise<void>;
  /** Serves the page itself, on the portal's own port, and hands calls on to the server. For development. */
  readonly startPage?: (at: { port: number; serverAddress: string }) => ChildProcess;
}

type Environment = Readonly<Record<string, string | undefined>>;

const embedded = 'postgres://embedded';
/** Stands for the address of a sync service where none is named. */
const beside = 'http://beside.invalid';

/**
 * Runs everything one machine needs, until a signal or the loss of a part ends it: PostgreSQL unless an address of one is
 * given, the simulated platforms unless a configuration is given, the sync service unless it is elsewhere, and the server. Stops what it started in the opposite
 * order. What cannot start is told in a sentence, with exit code 1 and nothing left running.
 */
export async function runSystem(options: SystemOptions): Promise<void> {
  const steps: { name: string; run: () => Promise<unknown> | unknown }[] = [];
  const started = (name: string, run: () => Promise<unknown> | unknown) => steps.unshift({ name, run });
  const announce = (reason: string, failed: boolean) => failed && console.error(reason);
  const shutDown = shutDownInOrder({ steps, withinMs: 30_000, announce });
  const end = (error: unknown) => shutDown(tell(error), { failed: true });
  try {
    await start(options, started, end);
  } catch (error) {
    await end(error);
  }
}

async function start(
  { root, preparePage, startPage }: SystemOptions,
  started: (name: string, run: () => Promise<unknown> | unknown) => void,
  end: (error: unknown) => Promise<void>,
): Promise<void> {
  const { env } = process;
  const port = portFrom(env);
  // npm changes to the project's folder; the name was given where the person stands.
  const companyConfig = env.PORTAL_CONFIG && resolve(env.INIT_CWD ?? '.', env.PORTAL_CONFIG);
  // Checked whole before anything is started, but for a database: where none is named, there will be ours.
  const company = companyConfig
    ? readConfig({ ...env, PORTAL_CONFIG: companyConfig }, { databaseUrl: embedded, sync: { url: beside } })
    : undefined;
  const stateDir = resolve(root, company?.stateFolder ?? (env.PORTAL_STATE_DIR || '.portal'));

  mkdirSync(stateDir, { recursive: true });
  const lock = takeProcessLock(join(stateDir, 'lock'));
  if ('heldBy' in lock) throw new Error(`The portal is running here already, as process ${lock.heldBy.pid}.`);
  started('lock', () => lock.release());
  if (port !== 0 && !(await isFree(port))) {
    throw new Error(`Port ${port} is in use by another program; PORT=${port + 1} npm start takes another one.`);
  }

  const page = preparePage?.();
  page?.catch(() => undefined);
  const ports = join(stateDir, 'ports.json');
  const serverEnv: Record<string, string> = { PORTAL_STATE_DIR: stateDir };
  let demo: Demo | undefined;
  if (!company || company.databaseUrl.reveal() === embedded) {
    const postgres = await startPostgres({
      dataDir: join(stateDir, 'postgres'),
      port: await rememberedPort(ports, 'postgres'),
    });
    started('PostgreSQL', () => postgres.stop());
    void postgres.lost.then((reason) => end(new Error(reason)));
    serverEnv.PORTAL_DATABASE_URL = env.PORTAL_DATABASE_URL || (await prepareOwnedDatabase(postgres, 'portal'));
    if (!companyConfig) demo = await startPlatforms(postgres, stateDir, started);
  }
  serverEnv.PORTAL_CONFIG = companyConfig ?? demo?.configFile ?? '';
  await page;

  const stopping = new AbortController();
  started('server start', () => stopping.abort());
  const serverPort = startPage ? await rememberedPort(ports, 'server') : port;
  // People read this output; a company's own system wants the server's log in it.
  const logLevel = company?.logLevel ?? env.LOG_LEVEL ?? 'warn';
  const sync = await findSyncPlace(company?.sync.url ?? beside, beside, () => rememberedPort(ports, 'sync'));
  const programEnv = { ...serverEnv, LOG_LEVEL: logLevel };
  const [syncService, server] = await Promise.all([
    sync.port === null
      ? undefined
      : startServiceProcess(
          root,
          { name: 'sync service', workspace: 'sync' },
          // Only the server talks to it.
          { ...programEnv, SYNC_PORT: String(sync.port), HOST: '127.0.0.1' },
          stopping.signal,
        ),
    startServiceProcess(
      root,
      { name: 'server', workspace: 'server' },
      { ...programEnv, PORT: String(serverPort), PORTAL_SYNC_URL: sync.url },
      stopping.signal,
    ),
  ]);
  if (syncService) {
    started('sync service', () => syncService.stop());
    void syncService.ended.then(() => end(new Error('The sync service ended.')));
  }
  started('server', () => server.stop());
  void server.ended.then(() => end(new Error('The server ended.')));
  const address = startPage
    ? await serveDevelopmentPage(startPage, port, server.address, started, end)
    : server.address;

  console.log(`Portal: ${address}`);
  if (!demo) return;
  console.log("Sign in with user demo, password demo; the Journey deployments' password is journey");
  // The portal serves already; without them there is only less to see.
  await demo.furnish(server.address).catch((error: unknown) => {
    if (!stopping.signal.aborted) console.error(`Not everything could be filled in: ${tell(error)}`);
  });
}

interface Demo {
  readonly configFile: string;
  /** Puts into the portal at this address what its own users would have. */
  furnish(portal: string): Promise<void>;
}

async function startPlatforms(
  postgres: PostgresServer,
  stateDir: string,
  started: (name: string, run: () => Promise<unknown>) => void,
): Promise<Demo> {
  const { startDemoPlatforms } = await import('@portal/platforms/helium/demo');
  const log = createLogger({ name: 'platforms', level: process.env.LOG_LEVEL ?? 'warn' });
  const platforms = await startDemoPlatforms({ postgres, log, stateDir });
  started('platforms', () => platforms.stop());
  const { startDemoJourney } = await import('@portal/platforms/journey/demo');
  const journey = await startDemoJourney({ postgres, log, stateDir });
  started('journey', () => journey.stop());
  const { startDemoReleases } = await import('@portal/platforms/releases/demo');
  const releases = await startDemoReleases({ stateDir });
  started('releases', () => releases.stop());
  const { startDemoRosters } = await import('@portal/platforms/roster/demo');
  const rosters = await startDemoRosters({ stateDir });
  started('rosters', () => rosters.stop());
  const { startDemoProjects } = await import('@portal/platforms/projects/demo');
  const { deployments, stop } = await startDemoProjects({ stateDir });
  started('projects', stop);
  const file = join(stateDir, 'portal.config.yaml');
  writeDemoConfiguration(file, platforms.environments, journey.baseUrls, stateDir, {
    deployments,
    devClient: releases.devClient,
    supportRoster: rosters.supportRoster,
  });
  return {
    configFile: file,
    async furnish(portal) {
      await addDemoShifts(portal);
      const production = platforms.environments.find(({ name }) => name === 'Production');
      if (production) await scheduleDemoDeployments(portal, production, deployments.sourceControlPrefix);
      await createDemoIntegrations(portal, journey.deployments);
    },
  };
}

async function serveDevelopmentPage(
  startPage: NonNullable<SystemOptions['startPage']>,
  port: number,
  serverAddress: string,
  started: (name: string, run: () => unknown) => void,
  end: (error: unknown) => Promise<void>,
): Promise<string> {
  const page = startPage({ port, serverAddress });
  const ended = once(page, 'exit');
  started('page', () => page.kill('SIGTERM') && ended);
  await Promise.race([once(page, 'message'), ended]);
  void ended.then(() => end(new Error('The development server of the page ended.')));
  return `http://127.0.0.1:${port}`;
}

function portFrom(env: Environment): number {
  const port = Number(env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT is ${env.PORT}, which is not a port (1 to 65535).`);
  return port;
}

/** A sentence for people; with LOG_LEVEL=debug, where it comes from too. */
function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env.LOG_LEVEL === 'debug' ? inspect(error) : error.message;
}
