import { join, resolve } from 'node:path';
import { readConfig } from '@portal/server/config';

export interface SystemSettings {
  /** Where people find the portal. */
  readonly port: number;
  /** A company's own configuration; without it the platforms are simulated. */
  readonly configFile: string | undefined;
  /** Where the system keeps its files. */
  readonly stateDir: string;
  /** Whether the configuration names no database, so that the system starts one. */
  readonly needsDatabase: boolean;
  /** Of the sync service that the configuration names. */
  readonly syncUrl: string | undefined;
  readonly logLevel: string;
}

/** Remembers the ports of the parts that no one named one for, so that addresses stay the same. */
export function portsFile(stateDir: string): string {
  return join(stateDir, 'ports.json');
}

/**
 * Stand in for the addresses that a configuration may leave out here, though the server needs them.
 */
const unnamed = { databaseUrl: 'postgres://embedded', sync: { url: 'http://beside.invalid' } };

/**
 * Reads the settings and checks the configuration. Throws an Error that names every mistake in it.
 */
export function readSettings(root: string, env: NodeJS.ProcessEnv): SystemSettings {
  const port = readPort(env.PORT || '8080');
  if (!env.PORTAL_CONFIG) {
    const stateDir = resolve(root, env.PORTAL_STATE_DIR || '.portal');
    // People read this output; a company's own system wants the server's log in it.
    const logLevel = env.LOG_LEVEL ?? 'warn';
    return { port, stateDir, logLevel, configFile: undefined, needsDatabase: true, syncUrl: undefined };
  }
  // npm changes to the project's folder; the name was given where the person stands.
  const configFile = resolve(env.INIT_CWD ?? '.', env.PORTAL_CONFIG);
  const { stateFolder, logLevel, databaseUrl, sync } = readConfig({ ...env, PORTAL_CONFIG: configFile }, unnamed);
  return {
    port,
    stateDir: resolve(root, stateFolder),
    logLevel,
    configFile,
    needsDatabase: databaseUrl.reveal() === unnamed.databaseUrl,
    syncUrl: sync.url === unnamed.sync.url ? undefined : sync.url,
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT is ${text}, which is not a port (1 to 65535).`);
  return port;
}
