import { loadConfiguration } from '@portal/kit/config';
import { installation } from '@portal/platforms/installation.config';
import { z } from 'zod';

/**
 * The part of the configuration file that the sync service shares with the server. The rest is the
 * server's.
 */
export const configSchema = z.object(installation);
export type Config = z.infer<typeof configSchema>;
export type EnvironmentConfig = Config['environments'][number];

/** The setting that each environment variable overrides. */
const environmentVariables = {
  PORTAL_DATABASE_URL: 'databaseUrl',
  PORTAL_DATABASE_OWNER_URL: 'databaseOwnerUrl',
  PORTAL_ENCRYPTION_KEY: 'encryptionKey',
  PORTAL_METRICS_TOKEN: 'metricsToken',
  PORTAL_STATE_DIR: 'stateFolder',
  LOG_LEVEL: 'logLevel',
} as const satisfies Record<string, keyof Config>;

/**
 * Reads `PORTAL_CONFIG` and the environment. Throws a ConfigurationProblem that lists all errors.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const fromEnvironment = Object.entries(environmentVariables).flatMap(([variable, setting]) => {
    const value = env[variable];
    return value ? [[setting, value]] : [];
  });
  const withEnvironment = z.preprocess(
    (written) => (isRecord(written) ? { ...written, ...Object.fromEntries(fromEnvironment) } : written),
    configSchema,
  );
  return loadConfiguration(withEnvironment, {
    file: env.PORTAL_CONFIG || undefined,
    settings: Object.keys(installation),
    env,
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
