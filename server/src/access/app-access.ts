import type { Action } from '@portal/contract/actions';
import type { App } from '@portal/contract/apps';
import { NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Resource } from '../audit/audit-trail.ts';
import type { Caller } from '../session/caller.ts';
import { isReading } from './policy.ts';

/** The platform does not list an app for the caller. The attempt is recorded. */
export class UnlistedApp extends NotFound {}

/**
 * Returns the app with this id if the platform lists it for the caller. Throws UnlistedApp
 * otherwise, with the same message whether the app does not exist or belongs to someone else.
 * Throws Unreachable for a change while the platform is silent.
 *
 * @param action What the caller does with the app.
 */
export async function requireApp(caller: Caller, appId: string, action: Action): Promise<App> {
  const { byId } = await caller.apps({ forReading: isReading(action) });
  return findApp(caller, byId, appId, action);
}

/** Returns each of the apps once. Throws like requireApp, at the first app that is not listed. */
export async function requireApps(caller: Caller, appIds: readonly string[], action: Action): Promise<App[]> {
  const { byId } = await caller.apps({ forReading: isReading(action) });
  const apps: App[] = [];
  for (const appId of new Set(appIds)) apps.push(await findApp(caller, byId, appId, action));
  return apps;
}

async function findApp(caller: Caller, byId: ReadonlyMap<string, App>, appId: string, action: Action): Promise<App> {
  const app = byId.get(appId);
  if (app) return app;
  const reason = `You have no app ${shortenValue(appId)} in ${caller.environment.name}.`;
  await auditUnlisted(caller, action, { resource: { kind: 'app', id: appId }, reason });
  throw new UnlistedApp(reason);
}

/** Records an attempt on an app that is not listed for the caller: it may be someone else's. */
export async function auditUnlisted(
  caller: Caller,
  action: Action,
  named: { readonly resource: Resource; readonly reason: string },
): Promise<void> {
  const description = 'Refused, because the platform does not list the app for this user';
  await caller.record({ ...named, action, description, outcome: 'refused' });
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
