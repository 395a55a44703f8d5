import type { Action } from '@portal/contract/actions';
import type { App } from '@portal/contract/apps';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Resource } from '../audit/audit-trail.ts';
import type { AppDatabases } from '../platform/app-databases.ts';
import type { Caller } from '../session/caller.ts';
import { requireApp, requireApps } from './app-access.ts';

/**
 * What handlers get for each subject that their endpoint declares. Features add the subjects that
 * they store.
 */
export interface Subjects {
  readonly app: App;
  readonly apps: readonly App[];
  readonly dataSource: HeliumDatabase;
}

/** A call whose subjects are being found. */
export interface SubjectRequest {
  readonly caller: Caller;
  readonly action: Action;
  /** The fields of the request and the parameters of the path. */
  readonly fields: Fields;
  /** Aborts when the caller disconnects; undefined for a change, which runs to its end. */
  readonly signal: AbortSignal | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A subject as the handler gets it, as the audit trail names it, and what its rights depend on. */
export interface Found<Value = unknown> {
  readonly value: Value;
  readonly resource?: Resource;
  readonly resourceName?: string;
  readonly apps?: readonly App[];
  readonly team?: string;
  /** The user who owns it; null if the owner is unknown. */
  readonly owner?: string | null;
}

/** Finds what a field names. Throws a problem if the caller has no such thing. */
export type Finder<Value = unknown> = (named: string, request: SubjectRequest) => Found<Value> | Promise<Found<Value>>;

/** A finder for each subject that is named by one text. */
export type Finders = { readonly [S in Exclude<keyof Subjects, 'apps'>]: Finder<Subjects[S]> };

/** The finders of subjects that belong to no feature. */
export function createFinders(appDatabases: AppDatabases): Pick<Finders, 'app' | 'dataSource'> {
  return {
    async app(appId, { caller, action }) {
      const app = await requireApp(caller, appId, action);
      return { value: app, resource: { kind: 'app', id: app.id }, resourceName: app.name, apps: [app] };
    },
    dataSource(name, { caller, signal }) {
      const database = appDatabases.require(caller.environment, name);
      return { value: signal ? database.withSignal(signal) : database, resource: { kind: 'dataSource', id: name } };
    },
  };
}

/** Finds each of the apps once. Throws at the first that is not listed. */
export async function findApps(appIds: readonly string[], { caller, action }: SubjectRequest): Promise<Found> {
  const apps = await requireApps(caller, appIds, action);
  const [first] = apps;
  const only = apps.length === 1 &&
    first && { resource: { kind: 'app' as const, id: first.id }, resourceName: first.name };
  return { value: apps, apps, ...only };
}
