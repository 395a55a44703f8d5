import { basename, dirname, join, resolve } from 'node:path';
import { Secret } from '@portal/kit/secret';
import { readConfig } from '@portal/server/config';
import type { DemoSize } from '@portal/simulators/helium/demo';

export interface SystemSettings {
  /** The port of the portal. */
  readonly port: number;
  /** A company's configuration; without it, the platforms are simulated. */
  readonly configFile: string | undefined;
  /** The system's state folder. */
  readonly stateDir: string;
  /** Whether the configuration has no database, so that the system starts one. */
  readonly needsDatabase: boolean;
  /** The configured address of the sync service. */
  readonly syncUrl: string | undefined;
  readonly logLevel: string;
  /** The address of the owner of the portal's database. */
  readonly databaseOwnerUrl: Secret | undefined;
  /** The size of the simulated platforms. */
  readonly demoSize: DemoSize;
}

const stateFolder = '.portal';

/** Returns the state folder, after the one that several sizes of the demo share. */
export function listStateFolders(stateDir: string): readonly string[] {
  const parent = dirname(stateDir);
  return basename(parent) === stateFolder ? [parent, stateDir] : [stateDir];
}

/** Returns the file that stores the chosen ports, so that addresses stay the same across starts. */
export function portsFile(stateDir: string): string {
  return join(stateDir, 'ports.json');
}

/** Placeholders for addresses that are optional here, but required by the server. */
const placeholders = { databaseUrl: 'postgres://embedded', sync: { url: 'http://beside.invalid' } };

/**
 * Reads the settings and validates the configuration. Throws an Error that lists all of its errors.
 */
export function readSettings(root: string, env: NodeJS.ProcessEnv): SystemSettings {
  const port = readPort(env.PORT || '8080');
  if (!env.PORTAL_CONFIG) {
    const demoSize = readDemoSize(env.PORTAL_DEMO_SIZE || 'small');
    // Each size keeps its own data.
    const stateDir = resolve(
      root,
      env.PORTAL_STATE_DIR || join(stateFolder, ...(demoSize === 'small' ? [] : [demoSize])),
    );
    // The demo is read by users on the console, so it logs warnings only; a company's system uses
    // the server's default.
    const logLevel = env.LOG_LEVEL ?? 'warn';
    const databaseOwnerUrl = env.PORTAL_DATABASE_OWNER_URL ? new Secret(env.PORTAL_DATABASE_OWNER_URL) : undefined;
    const absent = { configFile: undefined, syncUrl: undefined };
    return { ...absent, port, stateDir, logLevel, demoSize, databaseOwnerUrl, needsDatabase: true };
  }
  // npm changes to the project's folder, but the user gave the name relative to their own folder.
  const configFile = resolve(env.INIT_CWD ?? '.', env.PORTAL_CONFIG);
  const config = readConfig({ ...env, PORTAL_CONFIG: configFile }, placeholders);
  const { logLevel, databaseUrl, databaseOwnerUrl, sync } = config;
  return {
    port,
    stateDir: resolve(root, config.stateFolder),
    logLevel,
    databaseOwnerUrl,
    demoSize: 'small',
    configFile,
    needsDatabase: databaseUrl.reveal() === placeholders.databaseUrl,
    syncUrl: sync.url === placeholders.sync.url ? undefined : sync.url,
  };
}

function readDemoSize(text: string): DemoSize {
  if (text === 'small' || text === 'large-app' || text === 'company') return text;
  throw new Error(`The size of the demo is ${text}, which is not small, large-app or company.`);
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT is ${text}, which is not a valid port (1 to 65535).`);
  return port;
}
