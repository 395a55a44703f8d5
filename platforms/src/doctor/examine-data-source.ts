import { toClientConfig } from '@portal/kit/postgres/database-address';
import { type Pooled, readPooled } from '@portal/kit/postgres/pooled-setting';
import { explainOldVersion, oldestVersions } from '@portal/kit/postgres/server-version';
import { isOwnSession } from '@portal/kit/postgres/session';
import { Problem } from '@portal/kit/problems';
import pg from 'pg';
import type { HeliumApp } from '../helium/wire.ts';
import { toUnreachable } from '../helium-database/connection-errors.ts';
import type { Section } from './report.ts';

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;

export interface DataSource {
  readonly name: string;
  readonly url: string;
}

export interface DataSourceExamination {
  readonly section: Section;
  /** The schemas in it that hold an app. */
  readonly schemaNames: readonly string[];
}

/** Connects to a data source and reports what the portal needs of it. It only reads. */
export async function examineDataSource(
  { name, url }: DataSource,
  apps: readonly HeliumApp[],
): Promise<DataSourceExamination> {
  const title = `Data source ${name}`;
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({
      ...toClientConfig(url),
      application_name: 'portal doctor',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: statementTimeoutMs,
    });
    client.on('error', () => undefined);
    await client.connect();
    return await examine(client, { title, url, apps });
  } catch (error) {
    const { message } = error instanceof Problem ? error : toUnreachable(name, error);
    return { section: { title, lines: [message], isGood: false }, schemaNames: [] };
  } finally {
    await client?.end().catch(() => undefined);
  }
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
  readonly url: string;
  readonly apps: readonly HeliumApp[];
}

async function examine(client: pg.Client, { title, url, apps }: ExaminedDataSource): Promise<DataSourceExamination> {
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
  const oldVersion = explainOldVersion(facts.number, oldestVersions.dataSource);
  const rights = listed.flatMap((schema) => describeMissingRights(schema, facts.user));
  return {
    section: {
      title,
      lines: [
        oldVersion === null ? `PostgreSQL ${facts.version}` : `The server ${oldVersion}.`,
        facts.tls === null ? 'not encrypted' : `encrypted with ${facts.tls}`,
        describePooler(readPooled(url), await isOwnSession(client, url)),
        describeCreation(facts),
        `schemas of listed apps: ${listed.map((schema) => schema.name).join(', ') || 'none'}`,
        ...rights,
        ...listed.flatMap((schema) => describeReadOnly(schema, facts.user)),
      ],
      isGood: oldVersion === null && rights.length === 0,
    },
    schemaNames: schemas.map((schema) => schema.name),
  };
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
  readonly canUse: boolean;
  /** The number of tables that the user may not read. */
  readonly unreadable: number;
  /** The number of tables with a change log that the user may not write. */
  readonly notWritable: number;
}

/** The schemas that hold an app; see `readAppSchemas`. */
const schemaRightsSql = `
  select n.nspname as name, has_schema_privilege(n.oid, 'USAGE') as "canUse",
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
  };
}
