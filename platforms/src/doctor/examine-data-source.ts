import { createPool, type PoolClient } from '@portal/kit/postgres/pool';
import { type Pooled, readPooled } from '@portal/kit/postgres/pooled-setting';
import { explainOldVersion, oldestVersions } from '@portal/kit/postgres/server-version';
import { isOwnSession } from '@portal/kit/postgres/session';
import { Problem } from '@portal/kit/problems';
import pg from 'pg';
import type { HeliumApp } from '../helium/wire.ts';
import { toUnreachable } from '../helium-database/connection-errors.ts';
import { hasTrackingSql, isDisabledSql } from '../helium-database/helium-objects.ts';
import { examineGrantingLogin, examineOnlyLogin, examineReadingLogin, type LoginReport } from './examine-logins.ts';
import type { Section } from './report.ts';

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;

export interface DataSource {
  readonly name: string;
  readonly url: string;
  /** The address with the granting login; undefined where one login does everything. */
  readonly grantUrl?: string | undefined;
  /** The database users of teams. */
  readonly teams?: readonly string[];
}

export interface DataSourceExamination {
  readonly section: Section;
  /** The schemas in it that hold an app. */
  readonly schemaNames: readonly string[];
}

/** Connects to a data source and reports what the portal needs of it. It only reads. */
export async function examineDataSource(
  dataSource: DataSource,
  apps: readonly HeliumApp[],
): Promise<DataSourceExamination> {
  const { name, url } = dataSource;
  const title = `Data source ${name}`;
  try {
    return await withLogin(url, (client) => examine(client, { title, dataSource, apps }));
  } catch (error) {
    return { section: { title, lines: [explain(name, error)], isGood: false }, schemaNames: [] };
  }
}

/** Runs the work on a connection of its own. */
async function withLogin<T>(url: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const pool = createPool(url, {
    applicationName: 'portal doctor',
    max: 1,
    // Functions and operators that others create in `public` must not run in their place.
    searchPath: 'pg_catalog',
    connectTimeoutMs,
    statementTimeoutMs,
  });
  try {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

function explain(name: string, error: unknown): string {
  return (error instanceof Problem ? error : toUnreachable(name, error)).message;
}

interface ServerFacts {
  readonly version: string;
  readonly number: number;
  readonly tls: string | null;
  readonly user: string;
  readonly database: string;
  readonly canCreate: boolean;
}

interface ExaminedDataSource {
  readonly title: string;
  readonly dataSource: DataSource;
  readonly apps: readonly HeliumApp[];
}

async function examine(
  client: PoolClient,
  { title, dataSource, apps }: ExaminedDataSource,
): Promise<DataSourceExamination> {
  const { url } = dataSource;
  const { rows } = await client.query<ServerFacts>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       current_user as user, current_database() as database,
       (select s.version from pg_stat_ssl s where s.pid = pg_backend_pid() and s.ssl) as tls,
       has_database_privilege(current_database(), 'CREATE') as "canCreate"`,
  );
  const facts = rows[0];
  if (facts === undefined) throw new Error('the server returned no facts about itself');
  const { rows: schemas } = await client.query<SchemaRights>(schemaRightsSql);
  const byName = new Map(schemas.map((schema) => [schema.name, schema]));
  const listed = apps.flatMap(({ schemaName }) => byName.get(schemaName) ?? []);
  const untracked = await findDisabledTracking(
    client,
    listed.map((schema) => schema.name),
  );
  const oldVersion = explainOldVersion(facts.number, oldestVersions.dataSource);
  const logins =
    dataSource.grantUrl === undefined
      ? await examineShared(client, facts, listed)
      : await examineSeparate(client, dataSource, listed);
  return {
    section: {
      title,
      lines: [
        oldVersion === null ? `PostgreSQL ${facts.version}` : `The server ${oldVersion}.`,
        facts.tls === null ? 'not encrypted' : `encrypted with ${facts.tls}`,
        describePooler(readPooled(url), await isOwnSession(client, url)),
        `schemas of listed apps: ${listed.map((schema) => schema.name).join(', ') || 'none'}`,
        ...untracked,
        ...logins.lines,
      ],
      isGood: oldVersion === null && logins.isGood && untracked.length === 0,
    },
    schemaNames: schemas.map((schema) => schema.name),
  };
}

/** Returns a line for each schema with tables whose changes Helium does not log. */
async function findDisabledTracking(client: PoolClient, schemaNames: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ schema: string; tables: string }>(
    `select n.nspname as schema, string_agg(c.relname, ', ' order by c.relname) as tables
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any ($1::name[]) and c.relkind in ('r', 'p') and ${hasTrackingSql('c', isDisabledSql)}
     group by n.nspname order by n.nspname`,
    [schemaNames],
  );
  return rows.map(
    ({ schema, tables }) =>
      `Helium does not log all changes of ${tables} in ${schema}, so sync misses them: triggers named __he_sync_obj_… are disabled`,
  );
}

/** One login reads and writes everything. */
async function examineShared(
  client: PoolClient,
  facts: ServerFacts,
  listed: readonly SchemaRights[],
): Promise<LoginReport> {
  const rights = listed.flatMap((schema) => describeMissingRights(schema, facts.user));
  const only = await examineOnlyLogin(queryOf(client));
  return {
    lines: [
      describeCreation(facts),
      ...rights,
      ...listed.flatMap((schema) => describeReadOnly(schema, facts.user)),
      ...only.lines,
    ],
    isGood: rights.length === 0 && only.isGood,
  };
}

async function examineSeparate(
  client: PoolClient,
  { name, grantUrl = '', teams = [] }: DataSource,
  listed: readonly SchemaRights[],
): Promise<LoginReport> {
  const reading = await examineReadingLogin(queryOf(client));
  const owners = [...new Set(listed.map(({ owner }) => owner))];
  const granting = await withLogin(grantUrl, (other) => examineGrantingLogin(queryOf(other), { owners, teams })).catch(
    (error: unknown) => ({ lines: [`granting login: ${explain(name, error)}`], isGood: false }),
  );
  return { lines: [...reading.lines, ...granting.lines], isGood: reading.isGood && granting.isGood };
}

function queryOf(client: PoolClient) {
  return async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
    (await client.query<Row>(sql, values)).rows;
}

function describeCreation({ user, database, canCreate }: ServerFacts): string {
  if (canCreate) return `user ${user}, may create schemas (only sync needs this)`;
  const statement = `GRANT CREATE ON DATABASE ${pg.escapeIdentifier(database)} TO ${pg.escapeIdentifier(user)};`;
  return `user ${user}, may not create schemas; only sync needs this: ${statement}`;
}

function describePooler(pooled: Pooled, isOwn: boolean): string {
  if (pooled === 'auto') return isOwn ? 'connected directly, without a pooler' : 'behind a pooler';
  return `treated as ${isOwn ? 'connected directly' : 'behind a pooler'}, because its address has pooled=${pooled}`;
}

interface SchemaRights {
  readonly name: string;
  readonly owner: string;
  readonly canUse: boolean;
  /** The number of tables that the user may not read. */
  readonly unreadable: number;
  /** The number of tables with a change log that the user may not write. */
  readonly notWritable: number;
}

/** The schemas that hold an app; see `readAppSchemas`. */
const schemaRightsSql = `
  select n.nspname as name, pg_get_userbyid(n.nspowner)::text as owner, has_schema_privilege(n.oid, 'USAGE') as "canUse",
    (select count(*)::int from pg_class t
     where t.relnamespace = n.oid and t.relkind in ('r', 'p', 'm') and not has_table_privilege(t.oid, 'SELECT')) as unreadable,
    (select count(*)::int from pg_class t join pg_trigger log on log.tgrelid = t.oid and log.tgname = '__he_sync_obj_insert_after__'
     where t.relnamespace = n.oid and not (has_table_privilege(t.oid, 'INSERT') and has_table_privilege(t.oid, 'UPDATE')
       and has_table_privilege(t.oid, 'DELETE'))) as "notWritable"
  from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = '__he_data_version__'
  order by n.nspname`;

function describeMissingRights({ name, canUse, unreadable }: SchemaRights, user: string): string[] {
  const [schema, role] = [pg.escapeIdentifier(name), pg.escapeIdentifier(user)];
  return [
    ...(canUse ? [] : [`missing right: GRANT USAGE ON SCHEMA ${schema} TO ${role};`]),
    ...(unreadable === 0
      ? []
      : [`missing right on ${unreadable} tables: GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role};`]),
  ];
}

function describeReadOnly({ name, notWritable }: SchemaRights, user: string): string[] {
  if (notWritable === 0) return [];
  const [schema, role] = [pg.escapeIdentifier(name), pg.escapeIdentifier(user)];
  return [
    `may not write ${notWritable} tables of ${name}; only sync needs this: GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};`,
  ];
}

/** Reports the apps whose schema no data source has. */
export function examineSchemas(apps: readonly HeliumApp[], schemaNames: ReadonlySet<string>): Section {
  const missing = apps.filter(({ schemaName }) => !schemaNames.has(schemaName));
  return {
    title: 'Schemas of the apps',
    lines:
      missing.length === 0
        ? ['every listed app has its schema in a data source']
        : missing.map(({ name, schemaName }) => `no data source has the schema ${schemaName} of ${name}`),
    isGood: missing.length === 0,
    isPublic: true,
  };
}
