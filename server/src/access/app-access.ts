import type { App } from '@portal/contract/apps';
import { NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Caller } from '../session/caller.ts';

/**
 * Returns the app with this id if the platform lists it for the caller. Throws NotFound otherwise,
 * with the same message whether the app does not exist or belongs to someone else.
 */
export async function requireApp(caller: Caller, appId: string): Promise<App> {
  const { byId } = await caller.apps();
  return findApp(caller, byId, appId);
}

/** Returns each of the apps once. Throws like requireApp, at the first app that is not listed. */
export async function requireApps(caller: Caller, appIds: readonly string[]): Promise<App[]> {
  const { byId } = await caller.apps();
  return [...new Set(appIds)].map((appId) => findApp(caller, byId, appId));
}

function findApp({ environment }: Caller, byId: ReadonlyMap<string, App>, appId: string): App {
  const app = byId.get(appId);
  if (!app) throw new NotFound(`You have no app ${shortenValue(appId)} in ${environment.name}.`);
  return app;
}

/** Lists the caller's apps whose schemas are in the data source. Throws Unreachable. */
export async function listAppsIn(caller: Caller, database: HeliumDatabase): Promise<App[]> {
  const [{ apps }, schemas] = await Promise.all([caller.apps(), readAppSchemas(database)]);
  const schemaNames = new Set(schemas.map(({ schemaName }) => schemaName));
  return apps.filter(({ schemaName }) => schemaNames.has(schemaName));
}
