import { rememberedPort } from '@portal/kit/ports';
import { prepareOwnedDatabase } from '@portal/kit/postgres/owned-database';
import { acquireState } from './acquire-state.ts';
import { type Demo, startDemo } from './demo/start-demo.ts';
import { type StartPage, serveDevelopmentPage } from './development-page.ts';
import { createLifecycle, describeError, type Lifecycle } from './lifecycle.ts';
import { portsFile, readSettings } from './settings.ts';
import { startDatabase } from './start-database.ts';
import { startServices } from './start-services.ts';

export interface SystemOptions {
  /** The project's folder. */
  readonly root: string;
  /** Builds the page that the server serves, while everything else starts. */
  readonly preparePage?: () => Promise<void>;
  /** Serves the page itself, on the portal's own port. For development. */
  readonly startPage?: StartPage;
}

/**
 * Runs everything one machine needs, until a signal or the loss of a part ends it: PostgreSQL
 * unless an address of one is given, the simulated platforms unless a configuration is given, the
 * sync service unless it is elsewhere, and the server. Stops what it started in the opposite order.
 * What cannot start is told in a sentence, with exit code 1 and nothing left running.
 */
export async function runSystem(options: SystemOptions): Promise<void> {
  const lifecycle = createLifecycle();
  try {
    await start(options, lifecycle);
  } catch (error) {
    await lifecycle.fail(error);
  }
}

async function start({ root, preparePage, startPage }: SystemOptions, lifecycle: Lifecycle): Promise<void> {
  const settings = readSettings(root, process.env);
  const { port, stateDir, logLevel } = settings;
  await acquireState(settings, lifecycle);

  const page = preparePage?.();
  // It is awaited below; until then its failure must not end the process.
  page?.catch(() => undefined);
  const postgres = await startDatabase(settings, lifecycle);
  const databaseUrl = postgres && (process.env.PORTAL_DATABASE_URL || (await prepareOwnedDatabase(postgres, 'portal')));
  const demo = postgres && !settings.configFile ? await startDemo(postgres, settings, lifecycle) : undefined;
  await page;

  const stopping = new AbortController();
  lifecycle.onShutdown('server start', () => stopping.abort());
  const env = {
    LOG_LEVEL: logLevel,
    PORTAL_STATE_DIR: stateDir,
    PORTAL_CONFIG: settings.configFile ?? demo?.configFile ?? '',
    ...(databaseUrl && { PORTAL_DATABASE_URL: databaseUrl }),
  };
  const serverPort = startPage ? await rememberedPort(portsFile(stateDir), 'server') : port;
  const server = await startServices({ root, settings, serverPort, env, signal: stopping.signal }, lifecycle);
  const address = startPage
    ? await serveDevelopmentPage(startPage, { port, serverAddress: server.address }, lifecycle)
    : server.address;
  await announce({ address, serverAddress: server.address, demo, signal: stopping.signal });
}

/**
 * Prints where the portal is, and furnishes the demonstration, without which there is only less to
 * see.
 */
async function announce(of: {
  readonly address: string;
  readonly serverAddress: string;
  readonly demo: Demo | undefined;
  readonly signal: AbortSignal;
}): Promise<void> {
  console.log(`Portal: ${of.address}`);
  if (!of.demo) return;
  console.log("Sign in with user demo, password demo; the Journey deployments' password is journey");
  await of.demo.furnish(of.serverAddress).catch((error: unknown) => {
    if (!of.signal.aborted) console.error(`Not everything could be filled in: ${describeError(error)}`);
  });
}
