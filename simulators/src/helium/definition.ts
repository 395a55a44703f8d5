import type { FunctionBody } from './function-run.ts';
import type { ObjectDefinition } from './model.ts';

/** A function of a unit. */
export interface FunctionDefinition {
  readonly unit: string;
  readonly event: string;
  /** Minute, hour, day of month, month, day of week. */
  readonly schedule: string;
  readonly body: FunctionBody;
  /** Whether all of its past runs failed. Default: some did, but not the last one. */
  readonly alwaysFails?: boolean;
}

interface ViewDefinition {
  readonly name: string;
  readonly materialized: boolean;
  readonly sql: string;
}

/** The definition of an app, independent of where it is installed. */
export interface AppTemplate {
  readonly name: string;
  /** The first part of its schema's name, such as `stock_visibility`. */
  readonly schema: string;
  readonly host: string;
  readonly objects: readonly ObjectDefinition[];
  /** PostgreSQL's extensions that its SQL uses. They are in the schema `public` of its database. */
  readonly extensions?: readonly string[];
  /**
   * Its own statements, which run before the views: the SQL functions of its schema, and defaults.
   */
  readonly routines?: (schemaName: string) => readonly string[];
  readonly views: readonly ViewDefinition[];
  readonly functions: readonly FunctionDefinition[];
  /** Its routine log lines: level and text, in which `{n}` becomes a number. */
  readonly chatter: readonly (readonly [key: string, value: string])[];
  /** How many results of functions it has from the start, and keeps. Default: those of a day. */
  readonly storedResults?: number;
}

/** An app as installed in one environment. */
export interface AppDefinition extends AppTemplate {
  readonly fqdn: string;
  readonly schemaName: string;
  /** The environment's data source that holds it. */
  readonly dataSource: string;
  /** The share of the template's rows in this environment; 1 is all. */
  readonly scale: number;
}

export interface UserDefinition {
  readonly userName: string;
  readonly password: string;
  /** The names of the apps this user can see. */
  readonly apps: 'all' | readonly string[];
  /** Can read but not change anything. */
  readonly readOnly?: boolean;
}

interface DataSourceDefinition {
  readonly heliumDataSourceName: string;
  /**
   * The server's display name; the actual address is that of the PostgreSQL server it was started
   * on.
   */
  readonly hostname: string;
}

export interface EnvironmentDefinition {
  readonly name: string;
  readonly timeZone: string;
  readonly dataSources: readonly [DataSourceDefinition, ...DataSourceDefinition[]];
  readonly apps: readonly AppDefinition[];
  /** Developer teams. Each gets a database user, which owns nothing at first. */
  readonly teams: readonly string[];
  readonly users: readonly UserDefinition[];
}
