import type { PostgresServer } from '@portal/kit/postgres/launcher';
import pg from 'pg';
import type { BenchDataSource } from './system.ts';

export const teams = ['bench_team_one', 'bench_team_two'] as const;

/** A data source as defined by the platform of one app. */
export const schemaName = 'stock_visibility_0_001';

const dataSource = { heliumDataSourceName: 'helium-app-1', hostname: 'pg-bench.example.org', dbName: 'bench' };
const admin = 'bench_admin';
const password = 'bench';

export interface BenchDatabase {
  /** Who may grant: the platform of the benchmark decides nothing. */
  readonly rights: 'all';
  readonly dataSources: readonly BenchDataSource[];
  readonly teamUsers: readonly string[];
}

/** A database with one app's schema of 2,000 objects and the users of a typical company. */
export async function prepareDatabase(postgres: PostgresServer): Promise<BenchDatabase> {
  const roles = [...teams, 'bench_app'];
  await run(postgres.url, [
    `create role ${admin} login createrole password '${password}'`,
    ...roles.map((role) => `create role ${role} login password '${password}'`),
    ...roles.map((role) => `grant ${role} to ${admin} with admin true, inherit true, set true`),
    `grant pg_read_all_stats to ${admin}`,
    `create database ${dataSource.dbName} owner ${admin}`,
  ]);
  const objects = upTo(500).flatMap((at) => [
    `create table item_${at} (_id_ uuid primary key, name text, amount integer)`,
    `create view item_view_${at} as select _id_, name from item_${at}`,
    `create sequence item_number_${at}`,
    `create function item_name_${at}(id uuid) returns text language sql as 'select name from ${schemaName}.item_${at} where _id_ = id'`,
  ]);
  await run(postgres.urlFor(dataSource.dbName), [
    'create extension pg_stat_statements',
    `grant execute on function pg_stat_statements_reset to ${admin}`,
    `create schema ${schemaName} authorization bench_app`,
    `set role bench_app`,
    `set search_path = ${schemaName}`,
    'create table __he_data_version__ (id integer primary key)',
    ...objects,
  ]);
  const url = postgres.urlFor(dataSource.dbName, admin, password);
  return { dataSources: [{ ...dataSource, url }], teamUsers: teams, rights: 'all' };
}

/** Fills the statistics with this many different statements of 2 kB each. */
export async function runManyStatements(url: string, amount: number): Promise<void> {
  const columns = upTo(100).map((at) => `measured_${at}`);
  const tables = upTo(Math.ceil(amount / 100));
  await run(url, ['select pg_stat_statements_reset()']);
  const list = columns.map((column) => `coalesce(${column}, 0)`).join(', ');
  const statements = tables.flatMap((table) => [
    `create temp table measurement_${table} (${columns.map((column) => `${column} integer`).join(', ')})`,
    ...columns.map((column) => `select ${list} from measurement_${table} where ${column} > 1 order by ${column}`),
  ]);
  await run(url, statements);
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    // Separate statements, because databases cannot be created in transactions.
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
