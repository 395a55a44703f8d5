import type { FunctionBody } from './function-run.ts';
import type { ObjectDefinition } from './model.ts';

/** A unit's function. */
export interface FunctionDefinition {
  readonly unit: string;
  readonly event: string;
  /** Minute, hour, day of month, month, day of week. */
  readonly schedule: string;
  readonly body: FunctionBody;
}

interface ViewDefinition {
  readonly name: string;
  readonly materialized: boolean;
  readonly sql: string;
}

/** What an app is, wherever it is installed. */
export interface AppTemplate {
  readonly name: string;
  /** The first half of its schema's name, `stock_visibility`. */
  readonly schema: string;
  readonly host: string;
  readonly objects: readonly ObjectDefinition[];
  readonly views: readonly ViewDefinition[];
  readonly functions: readonly FunctionDefinition[];
  /** What it says of itself all day: level and text, where `{n}` becomes a number. */
  readonly chatter: readonly (readonly [key: string, value: string])[];
}

/** An app as one environment has it. */
export interface AppDefinition extends AppTemplate {
  readonly fqdn: string;
  readonly schemaName: string;
  /** Which of the environment's data sources holds it. */
  readonly dataSource: string;
  /** How much of the template's rows this environment has; 1 is all. */
  readonly scale: number;
}

export interface UserDefinition {
  readonly userName: string;
  readonly password: string;
  /** Names of the apps this user sees. */
  readonly apps: 'all' | readonly string[];
  /** May look, but not change anything. */
  readonly readOnly?: boolean;
}

interface DataSourceDefinition {
  readonly heliumDataSourceName: string;
  /**
   * What people call the server; the address in use comes from the PostgreSQL server it was started
   * on.
   */
  readonly hostname: string;
}

export interface EnvironmentDefinition {
  readonly name: string;
  readonly timeZone: string;
  readonly dataSources: readonly [DataSourceDefinition, ...DataSourceDefinition[]];
  readonly apps: readonly AppDefinition[];
  /** Developer teams: each gets a database user, to whom nothing belongs at first. */
  readonly teams: readonly string[];
  readonly users: readonly UserDefinition[];
}
