import { getStablePort } from '@portal/kit/ports';
import { prepareManagedDatabase } from '@portal/kit/postgres/managed-database';
import { takeVariables } from '@portal/kit/secret-variables';
import { acquireState } from './acquire-state.ts';
import { type Demo, startDemo } from './demo/start-demo.ts';
import { type StartPage, serveDevelopmentPage } from './development-page.ts';
import { createLifecycle, describeError, type Lifecycle } from './lifecycle.ts';
import type { ServiceKind } from './service-process.ts';
import { portsFile, readSettings } from './settings.ts';
import { startDatabase } from './start-database.ts';
import { startServices } from './start-services.ts';

export interface SystemOptions {
  /** The project's folder. */
  readonly root: string;
  readonly services: ServiceKind;
  /** Builds the page for the server while the other parts start. */
  readonly preparePage?: () => Promise<void>;
  /** Serves the page itself on the portal's port. For development. */
  readonly startPage?: StartPage;
}

/**
 * Runs everything that one machine needs until a signal stops it: PostgreSQL unless a database is
 * configured, the simulated platforms unless there is a configuration, the sync service unless it
 * runs elsewhere, and the server. Stops the parts in reverse order. A part that ends unexpectedly
 * is started again. If a part cannot start, prints one sentence, stops all others and exits with 1.
 */
export async function runSystem(options: SystemOptions): Promise<void> {
  const lifecycle = createLifecycle();
  try {
    await start(options, lifecycle);
  } catch (error) {
    await lifecycle.fail(error);
  }
}

async function start({ root, services, preparePage, startPage }: SystemOptions, lifecycle: Lifecycle): Promise<void> {
  const settings = readSettings(root, process.env);
  const { port, stateDir, logLevel } = settings;
  // Nothing else that is started here needs to know it.
  const ownerVariables = takeVariables(process.env, settings.databaseOwnerUrl);
  await acquireState(settings, lifecycle);

  const page = preparePage?.();
  // Awaited below. A failure before that must not end the process as an unhandled rejection.
  page?.catch(() => undefined);
  const database = await startDatabase(settings, lifecycle);
  const postgres = database?.first.postgres;
  const managed =
    postgres && !process.env.PORTAL_DATABASE_URL ? await prepareManagedDatabase(postgres, 'portal') : undefined;
  const demo = postgres && !settings.configFile ? await startDemo(postgres, settings, lifecycle) : undefined;
  await page;

  const env = {
    LOG_LEVEL: logLevel,
    PORTAL_STATE_DIR: stateDir,
    PORTAL_CONFIG: settings.configFile ?? demo?.configFile ?? '',
    ...(managed && { PORTAL_DATABASE_URL: managed.url }),
  };
  const secrets = managed ? { PORTAL_DATABASE_OWNER_URL: managed.ownerUrl } : ownerVariables;
  const serverPort = startPage ? await getStablePort(portsFile(stateDir), 'server') : port;
  const waitForDatabase = async () => database?.waitUntilRunning();
  const server = await startServices(
    { root, services, settings, serverPort, environment: { env, secrets }, waitForDatabase },
    lifecycle,
  );
  const address = startPage
    ? await serveDevelopmentPage(startPage, { port, serverAddress: server.address }, lifecycle)
    : server.address;
  const databaseUrl = managed?.ownerUrl ?? process.env.PORTAL_DATABASE_URL ?? '';
  await announce({ address, serverAddress: server.address, databaseUrl, demo, signal: lifecycle.stopping });
}

/**
 * Prints the portal's address and creates the demo data. The system also runs without that data.
 */
async function announce(facts: {
  readonly address: string;
  readonly serverAddress: string;
  readonly databaseUrl: string;
  readonly demo: Demo | undefined;
  readonly signal: AbortSignal;
}): Promise<void> {
  console.log(`Portal: ${facts.address}`);
  if (!facts.demo) return;
  console.log("Sign in with user demo, password demo; the Journey deployments' password is journey");
  await facts.demo.createData(facts.serverAddress, facts.databaseUrl).catch((error: unknown) => {
    if (!facts.signal.aborted) console.error(`Some demo data could not be created: ${describeError(error)}`);
  });
}
