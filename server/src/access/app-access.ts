import type { App } from '@portal/contract/apps';
import { NotFound } from '@portal/kit/problems';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Caller } from '../session/caller.ts';

/**
 * The app with this id, if the platform lists it for the caller. Throws NotFound otherwise, in the
 * same words for an app that does not exist and one that is none of the caller's.
 */
export async function requireApp(caller: Caller, appId: string): Promise<App> {
  const { byId } = await caller.apps();
  const app = byId.get(appId);
  if (!app) throw new NotFound(`There is no app ${appId} among yours in ${caller.environment.name}.`);
  return app;
}

/** Those of the caller's apps whose schemas the data source holds. Throws Unreachable. */
export async function listAppsIn(caller: Caller, database: HeliumDatabase): Promise<App[]> {
  const [{ apps }, schemas] = await Promise.all([caller.apps(), readAppSchemas(database)]);
  const held = new Set(schemas.map(({ schemaName }) => schemaName));
  return apps.filter(({ schemaName }) => held.has(schemaName));
}
