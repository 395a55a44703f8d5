/** What is told of apps and integrations: to the sync service, to callers, to the audit trail. */
import type { App } from '@portal/contract/apps';
import { maskedPassword, type SyncConfig } from '@portal/contract/sync-config';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { NotFound } from '@portal/kit/problems';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';

/** What the service must know of an app that the platform lists for the caller. */
export interface AppPayload {
  readonly app: Pick<App, 'id' | 'name' | 'schemaName'>;
  /**
   * The data source that holds its schema; null when none does, which the service tells by field.
   */
  readonly dataSource: string | null;
}

/** Throws Unreachable when a data source that may hold the app's schema is away. */
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

/** For the trail: no password, but whether one came with it. */
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
