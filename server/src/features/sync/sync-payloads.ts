/** Payloads about apps and integrations, for the sync service, callers and the audit trail. */
import type { App } from '@portal/contract/apps';
import { maskedPassword, type SyncConfig } from '@portal/contract/sync/config';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { NotFound } from '@portal/kit/problems';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';

/** What the sync service needs to know about one of the caller's apps. */
export interface AppPayload {
  readonly app: Pick<App, 'id' | 'name' | 'schemaName'>;
  /**
   * The data source that contains the app's schema; null if none does, which the service reports as
   * a field error.
   */
  readonly dataSource: string | null;
}

/** Throws Unreachable if a data source that may contain the app's schema is unreachable. */
export async function locateApp(
  databases: AppDatabases,
  environment: ServedEnvironment,
  app: App,
): Promise<AppPayload> {
  const dataSource = await databases.find(environment, app.schemaName).then(
    ({ name }) => name,
    (problem: unknown) => {
      if (problem instanceof NotFound) return null;
      throw problem;
    },
  );
  return { app: toAppPayload(app), dataSource };
}

export function toAppPayload({ id, name, schemaName }: App): AppPayload['app'] {
  return { id, name, schemaName };
}

export function maskConfig(config: SyncConfig): SyncConfig {
  const { journey } = config;
  const restAPICredentials = { ...journey.restAPICredentials, password: maskedPassword };
  return { ...config, journey: { ...journey, restAPICredentials } };
}

/**
 * Prepares a configuration for the audit trail: without the password, but with a note if it
 * changed.
 */
export function toAuditedConfig({ basedOn: _, ...config }: SyncConfig) {
  const { userName, password } = config.journey.restAPICredentials;
  const isNew = password !== undefined && password !== '' && password !== maskedPassword;
  return {
    ...config,
    journey: { ...config.journey, restAPICredentials: { userName, ...(isNew && { password: 'changed' }) } },
  };
}

export function getVersions({ changeLogVersion, oplogVersion }: SyncIntegration) {
  return { changeLogVersion, oplogVersion };
}
