/** Creates an app schema for a test, tracked as Helium tracks it. */
import { randomUUID } from 'node:crypto';
import { createPool, inTransaction, type Pool, withClient } from '@portal/kit/postgres/pool';
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { changeLogDdl, trackingColumns, trackingDdl } from '@portal/simulators/helium/change-log-ddl';
import pg from 'pg';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { Db, HeliumGateway, HeliumOutcome, HeliumWrite } from './helium-gateway.ts';
import { openHeliumGateway } from './open-helium-gateway.ts';

export const schema = 'shop__app_001';

/** Column definitions by table; foreign keys are added afterwards. */
export interface TestTables {
  readonly [table: string]: readonly string[];
}

export interface HeliumFixture {
  readonly url: string;
  readonly pool: Pool;
  readonly gateway: HeliumGateway;
  /** Opens another session with the schema first in its search path. */
  connect(): Promise<pg.Client>;
  /** Writes in a transaction of its own. */
  write(objects: readonly ObjectMap[], writes: readonly HeliumWrite[]): Promise<HeliumOutcome[]>;
  /** Creates the schema in a transaction, in place of an existing one. */
  readonly ddl: string;
  drop(): Promise<void>;
}

export interface HeliumFixtureOptions {
  readonly tables: TestTables;
  /** Runs last, with the schema first in the search path. */
  readonly sql?: string;
  /** Superuser address of a server other than the shared one. */
  readonly serverUrl?: string;
  /** Prepares what else the database contains at the start; not with `serverUrl`. */
  readonly prepare?: (db: Db) => Promise<void>;
}

/** Creates the schema with its tables, in place of an existing one. */
function schemaDdl({ tables, sql = '' }: Pick<HeliumFixtureOptions, 'tables' | 'sql'>): string {
  const created = Object.entries(tables).map(([table, columns]) => tableDdl(table, columns));
  return [
    `drop schema if exists ${schema} cascade; create schema ${schema};`,
    changeLogDdl(schema),
    ...created,
    sql,
  ].join('\n');
}

/** Creates one tracked table. */
export function tableDdl(table: string, columns: readonly string[]): string {
  const all = ['_id_ uuid primary key', '_tstamp_ timestamp not null', ...columns, ...trackingColumns];
  return `create table ${pg.escapeIdentifier(table)} (${all.join(', ')}); ${trackingDdl(table)}`;
}

export async function createHeliumFixture(options: HeliumFixtureOptions): Promise<HeliumFixture> {
  const { tables, sql, serverUrl, prepare } = options;
  const ddl = `set local search_path to ${schema}; ${schemaDdl({ tables, ...(sql !== undefined && { sql }) })}`;
  const database =
    serverUrl === undefined
      ? await createTestDatabase(await getTemplate(ddl, prepare))
      : { url: serverUrl, drop: async () => {} };
  const sessions: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${schema}` });
    client.on('error', () => undefined);
    await client.connect();
    sessions.push(client);
    return client;
  };
  if (serverUrl !== undefined) await (await connect()).query(`begin; ${ddl}; commit`);
  const pool = createPool(database.url, { applicationName: 'portal sync test' });
  const gateway = openHeliumGateway({ pool, schema });
  return {
    url: database.url,
    pool,
    gateway,
    connect,
    write: (objects, writes) => inTransaction(pool, (client) => gateway.write(client, objects, writes)),
    ddl,
    async drop() {
      for (const session of sessions) await session.end();
      await pool.end();
      await database.drop();
    },
  };
}

const templates = new Map<string, Promise<string>>();

/**
 * Returns a database with this schema to copy: that takes a fraction of the time of creating it.
 */
function getTemplate(ddl: string, prepare: HeliumFixtureOptions['prepare']): Promise<string> {
  const contents = `${ddl} ${prepare?.name}`;
  const template = templates.get(contents) ?? prepareTemplate(ddl, prepare);
  templates.set(contents, template);
  return template;
}

async function prepareTemplate(ddl: string, prepare: HeliumFixtureOptions['prepare']): Promise<string> {
  const { name, url } = await createTestDatabase();
  await withClient({ connectionString: url }, async (client) => {
    await client.query(`begin; ${ddl}; commit`);
    await prepare?.(client);
  });
  return name;
}

/** Foreign keys as Helium creates them. */
export function foreignKey(table: string, column: string, parent: string, onDelete = 'set null'): string {
  return `alter table ${table} add foreign key (${column}) references ${parent} (_id_) on update cascade on delete ${onDelete};`;
}

export function newId(): string {
  return randomUUID();
}

/** A `_tstamp_` for tests in which it does not matter. */
export const atMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
