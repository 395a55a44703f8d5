import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '@portal/contract/apps';
import type { Action } from '@portal/contract/session';
import { Conflict, Invalid, NotFound, type Problem, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { requireApp } from '../../access/app-access.ts';
import { isReading } from '../../access/policy.ts';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { Caller } from '../../session/caller.ts';
import type { SchemaLocation } from './access-grants.store.ts';

/** A schema of one of the caller's apps, and the data source that contains it. */
export interface LocatedSchema {
  readonly app: App;
  readonly database: HeliumDatabase;
  readonly location: SchemaLocation;
}

/** Identifies a schema by its app, by data source and name, or by name only. */
export interface SchemaHint {
  readonly appId?: string | undefined;
  readonly dataSource?: string | undefined;
  readonly schemaName?: string | undefined;
}

/** What the caller does with the schema. */
export interface Purpose {
  readonly action: Action;
  /** Ends all calls to the data source. For reading only. */
  readonly signal?: AbortSignal;
}

/**
 * Finds a schema. Throws Invalid if the data source is not configured and Conflict if several
 * contain it and none is named. Throws NotFound, with the same message whether the schema does not
 * exist or belongs to another caller's app.
 */
export async function locateSchema(
  appDatabases: AppDatabases,
  caller: Caller,
  { appId, dataSource, schemaName }: SchemaHint,
  { action, signal }: Purpose,
): Promise<LocatedSchema> {
  const { environment } = caller;
  if ((appId === undefined) === (schemaName === undefined)) {
    throw new Invalid('The schema is missing. Send either appId, or dataSource and schemaName.');
  }
  const all =
    dataSource === undefined ? appDatabases.all(environment) : [appDatabases.require(environment, dataSource)];
  const candidates = signal ? all.map((database) => database.withSignal(signal)) : all;
  const app =
    appId === undefined ? await findAppBySchema(caller, schemaName, action) : await requireApp(caller, appId, action);
  const holders = app ? await findHolders(candidates, app.schemaName) : [];
  const [database, ...others] = holders;
  if (!app || !database) {
    const where = dataSource ?? environment.name;
    throw new NotFound(
      `None of your apps has the schema ${shortenValue(schemaName ?? app?.schemaName ?? '')} in ${where}.`,
    );
  }
  if (others.length > 0) {
    const names = holders.map(({ name }) => name).join(', ');
    throw new Conflict(`Several data sources contain the schema ${app.schemaName}: ${names}. Send the dataSource too.`);
  }
  return {
    app,
    database,
    location: { environment: environment.name, dataSource: database.name, schemaName: app.schemaName },
  };
}

async function findAppBySchema(
  caller: Caller,
  schemaName: string | undefined,
  action: Action,
): Promise<App | undefined> {
  const { apps } = await caller.apps({ forReading: isReading(action) });
  return apps.find((app) => app.schemaName === schemaName);
}

/** Additional time for the other data sources once one contains the schema. */
const otherSourcesMs = 1_000;

/**
 * Checks all data sources in parallel. Unreachable ones are reported only if no other contains the
 * schema, so they cause no delay.
 */
async function findHolders(databases: readonly HeliumDatabase[], schemaName: string): Promise<HeliumDatabase[]> {
  const holders: HeliumDatabase[] = [];
  const unreachable: Problem[] = [];
  const checks = databases.map(async (database) => {
    try {
      const schemas = await readAppSchemas(database);
      if (schemas.some((schema) => schema.schemaName === schemaName)) holders.push(database);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      unreachable.push(error);
    }
  });
  const all = Promise.all(checks);
  const enough = Promise.race(
    checks.map((one) => one.then(() => (holders.length > 0 ? pause(otherSourcesMs, undefined, { ref: false }) : all))),
  );
  await Promise.race([all, enough]);
  const [first] = unreachable;
  if (holders.length === 0 && first) {
    throw new Unreachable(unreachable.map(({ message }) => message).join(' '), {
      cause: first,
      timedOut: first.status === 504,
    });
  }
  return databases.filter((database) => holders.includes(database));
}
