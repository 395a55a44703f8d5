import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '@portal/contract/apps';
import { Conflict, NotFound, type Problem, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { auditUnlisted, UnlistedApp } from '../../access/app-access.ts';
import { isReading } from '../../access/policy.ts';
import type { Finder } from '../../access/subjects.ts';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';
import type { Caller } from '../../session/caller.ts';
import type { SchemaLocation } from './access-grants.store.ts';

/** A schema of one of the caller's apps, and the data source that contains it. */
export interface LocatedSchema {
  readonly app: App;
  readonly database: HeliumDatabase;
  readonly location: SchemaLocation;
}

declare module '../../access/subjects.ts' {
  interface Subjects {
    readonly schema: LocatedSchema;
    /** Null if none of the caller's apps has a schema of that name. */
    readonly anySchema: LocatedSchema | null;
  }
}

/** Finds a schema of one of the caller's apps by its name, and the data source if it is sent. */
export function schemaFinder(appDatabases: AppDatabases): Finder<LocatedSchema> {
  const find = namedSchemaFinder(appDatabases);
  return async (schemaName, request) => {
    try {
      return await find(schemaName, request);
    } catch (error) {
      if (error instanceof UnlistedApp)
        await auditUnlisted(request.caller, request.action, {
          resource: { kind: 'schema', id: schemaName },
          reason: error.message,
        });
      throw error;
    }
  };
}

function namedSchemaFinder(appDatabases: AppDatabases): Finder<LocatedSchema> {
  return async (schemaName, { caller, action, fields: { dataSource }, signal }) => {
    const { apps } = await caller.apps({ forReading: isReading(action) });
    const app = apps.find((each) => each.schemaName === schemaName);
    const where = { dataSource: typeof dataSource === 'string' ? dataSource : undefined, signal };
    const databases = listDatabases(appDatabases, caller.environment, where);
    if (!app) throw new UnlistedApp(explainNoSchema(schemaName, where.dataSource ?? caller.environment.name));
    const schema = await locateSchema(databases, caller, app, where);
    return { value: schema, resource: { kind: 'app', id: app.id }, resourceName: app.name, apps: [app] };
  };
}

/** Finds the same as `schemaFinder`, but accepts any other name, too. */
export function anySchemaFinder(appDatabases: AppDatabases): Finder<LocatedSchema | null> {
  const find = namedSchemaFinder(appDatabases);
  return async (schemaName, request) => {
    try {
      return await find(schemaName, request);
    } catch (error) {
      if (error instanceof NotFound) return { value: null };
      throw error;
    }
  };
}

/** Where to look for a schema. */
interface Where {
  /** Undefined for all data sources of the environment. */
  readonly dataSource?: string | undefined;
  /** Ends all calls to the data source. For reading only. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the schema of an app. Throws Invalid if the data source is not configured, Conflict if
 * several contain it and none is named, and NotFound if none does.
 */
export function locateAppSchema(
  appDatabases: AppDatabases,
  caller: Caller,
  app: App,
  where: Where = {},
): Promise<LocatedSchema> {
  return locateSchema(listDatabases(appDatabases, caller.environment, where), caller, app, where);
}

function listDatabases(appDatabases: AppDatabases, environment: ServedEnvironment, { dataSource, signal }: Where) {
  const all =
    dataSource === undefined ? appDatabases.all(environment) : [appDatabases.require(environment, dataSource)];
  return signal ? all.map((database) => database.withSignal(signal)) : all;
}

async function locateSchema(
  candidates: readonly HeliumDatabase[],
  { environment }: Caller,
  app: App,
  { dataSource }: Where,
): Promise<LocatedSchema> {
  const { schemaName } = app;
  const holders = await findHolders(candidates, schemaName);
  const [database, ...others] = holders;
  if (!database) throw new NotFound(explainNoSchema(schemaName, dataSource ?? environment.name));
  if (others.length > 0) {
    const names = holders.map(({ name }) => name).join(', ');
    throw new Conflict(`Several data sources contain the schema ${schemaName}: ${names}. Send the dataSource too.`);
  }
  return { app, database, location: { environment: environment.name, dataSource: database.name, schemaName } };
}

/** The same whether the schema does not exist or belongs to another caller's app. */
function explainNoSchema(schemaName: string, where: string): string {
  return `None of your apps has the schema ${shortenValue(schemaName)} in ${where}.`;
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
