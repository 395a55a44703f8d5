import type { App } from '@portal/contract/apps';
import type { Action } from '@portal/contract/session';
import { NotFound } from '@portal/kit/problems';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Caller } from '../session/caller.ts';
import { isReading } from './policy.ts';

/**
 * Returns the app with this id if the platform lists it for the caller. Throws NotFound otherwise,
 * with the same message whether the app does not exist or belongs to someone else. Throws
 * Unreachable for a change while the platform is silent.
 *
 * @param action What the caller does with the app.
 */
export async function requireApp(caller: Caller, appId: string, action: Action): Promise<App> {
  const { byId } = await caller.apps({ forReading: isReading(action) });
  const app = byId.get(appId);
  if (!app) throw new NotFound(`You have no app ${appId} in ${caller.environment.name}.`);
  return app;
}

/**
 * Lists the caller's apps whose schemas are in the data source. Throws Unreachable, also for a
 * change while the platform is silent.
 */
export async function listAppsIn(caller: Caller, database: HeliumDatabase, action: Action): Promise<App[]> {
  const options = { forReading: isReading(action) };
  const [{ apps }, schemas] = await Promise.all([caller.apps(options), readAppSchemas(database)]);
  const schemaNames = new Set(schemas.map(({ schemaName }) => schemaName));
  return apps.filter(({ schemaName }) => schemaNames.has(schemaName));
}
