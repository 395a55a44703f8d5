/**
 * Creates an environment's databases at the first start and finds them at later starts.
 *
 * Per environment, one administrator role owns the databases and is a member of every app's and
 * every team's role, and the portal has two logins: one reads catalogs and statistics, one grants
 * access and creates logins. Per app, one role owns its schema and does its work. Per team, one
 * role can log in and owns nothing at first. An app's schema, rows, and completion mark are written
 * in one transaction, so an interrupted start can be repeated.
 */
import { createHash, createHmac } from 'node:crypto';
import { withClient } from '@portal/kit/postgres/pool';
import pg from 'pg';
import type { AppDefinition, EnvironmentDefinition } from './definition.ts';
import { extensionsDdl, schemaDdl, viewsDdl } from './schema-ddl.ts';
import { seedSql } from './seed-rows.ts';

export interface DataSource {
  readonly heliumDataSourceName: string;
  readonly hostname: string;
  readonly dbName: string;
  /** Connects as the portal's login that reads catalogs and statistics. */
  readonly url: string;
  /** Connects as the portal's login that grants access and creates logins of apps. */
  readonly grantUrl: string;
}

/** The database user of a developer team. */
export interface Team {
  readonly name: string;
  /** Connects as the team to a data source, given by name. */
  url(heliumDataSourceName: string): string;
}

interface ProvisionedEnvironment {
  /**
   * Connects to a data source, given by name, as the administrator, who can read every app's
   * schema and all statistics and can create and grant roles.
   */
  adminUrl(heliumDataSourceName: string): string;
  readonly dataSources: readonly [DataSource, ...DataSource[]];
  readonly teams: readonly Team[];
  /** Connects as the app's own role, with its schema first in the search path. */
  appUrl(app: AppDefinition): string;
}

interface Plan {
  readonly definition: EnvironmentDefinition;
  readonly postgresUrl: string;
  /** The prefix of database and role names, which the whole cluster shares. */
  readonly namespace: string;
  /** Called once per new schema, inside its transaction, as the app's role. */
  readonly fill: (client: pg.ClientBase, app: AppDefinition) => Promise<void>;
}

export async function provisionEnvironment(plan: Plan): Promise<ProvisionedEnvironment> {
  const names = deriveNames(plan);
  await connect(plan.postgresUrl, async (superuser) => {
    await createRolesAndDatabases(superuser, plan, names);
  });
  const [first, ...others] = plan.definition.dataSources;
  const describe = ({ heliumDataSourceName, hostname }: typeof first): DataSource => {
    const dbName = names.database(heliumDataSourceName);
    return {
      heliumDataSourceName,
      hostname,
      dbName,
      url: names.url(dbName, names.reading),
      grantUrl: names.url(dbName, names.granting),
    };
  };
  const dataSources: [DataSource, ...DataSource[]] = [describe(first), ...others.map(describe)];
  await Promise.all(dataSources.map((dataSource) => fillDatabase(plan, names, dataSource)));
  return {
    dataSources,
    adminUrl: (heliumDataSourceName) => names.url(names.database(heliumDataSourceName), names.admin),
    teams: names.teams.map((name) => ({
      name,
      url: (heliumDataSourceName) => names.url(names.database(heliumDataSourceName), name),
    })),
    appUrl: (app) => {
      const url = new URL(names.url(names.database(app.dataSource), names.appRole(app)));
      url.searchParams.set('options', `-c search_path=${app.schemaName}`);
      return url.toString();
    },
  };
}

/** Removes everything `provisionEnvironment` created, for temporary environments. */
export async function dropEnvironment(plan: Omit<Plan, 'fill'>): Promise<void> {
  const names = deriveNames(plan);
  await connect(plan.postgresUrl, async (superuser) => {
    for (const { heliumDataSourceName } of plan.definition.dataSources) {
      await superuser.query(`drop database if exists ${quoted(names.database(heliumDataSourceName))} with (force)`);
    }
    const { rows: logins } = await superuser.query<{ name: string }>(
      `with login as (select m.member as oid from pg_auth_members m join pg_roles g on g.oid = m.roleid
         where g.rolname = any ($1) and m.member::regrole::text like 'portal\\_app\\_%')
       select distinct oid::regrole::text as name from login
       union select s.oid::regrole::text from login join pg_auth_members m on m.member = login.oid
         join pg_roles s on s.oid = m.roleid where s.rolname like 'portal\\_sync\\_state\\_%'`,
      [[...plan.definition.apps.map(names.appRole), ...names.teams]],
    );
    const roles = [
      ...plan.definition.apps.map(names.appRole),
      ...names.teams,
      names.reading,
      names.granting,
      names.admin,
    ];
    const all = [...logins.map(({ name }) => name), ...roles.map(quoted)];
    await superuser.query(`drop role if exists ${all.join(', ')}`);
  });
}

const quoted = pg.escapeIdentifier;

type Names = ReturnType<typeof deriveNames>;

function deriveNames({ definition, postgresUrl, namespace }: Omit<Plan, 'fill'>) {
  const server = new URL(postgresUrl);
  const prefix = namespace.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  // Derived instead of stored: the same at each start, and unknown without the server's own
  // password.
  const password = (role: string) => createHmac('sha256', server.password).update(role).digest('hex');
  return {
    admin: `${prefix}_helium_admin`,
    reading: `${prefix}_portal_reading`,
    granting: `${prefix}_portal_granting`,
    teams: definition.teams.map((team) => `${prefix}_${team}`),
    appRole: (app: AppDefinition) => `${prefix}_${app.schemaName}`,
    database: (heliumDataSourceName: string) => `${prefix}_${heliumDataSourceName.replaceAll('-', '_')}`,
    password,
    url(database: string, role: string): string {
      const url = new URL(server);
      url.pathname = `/${database}`;
      url.username = role;
      url.password = password(role);
      return url.toString();
    },
    superuserUrl(database: string): string {
      const url = new URL(server);
      url.pathname = `/${database}`;
      return url.toString();
    },
  };
}

async function createRolesAndDatabases(superuser: pg.Client, { definition }: Plan, names: Names): Promise<void> {
  const { admin, reading, granting } = names;
  const roles = [admin, reading, granting, ...names.teams, ...definition.apps.map(names.appRole)];
  const { rows } = await superuser.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any($1) union all select datname from pg_database',
    [roles],
  );
  const existing = new Set(rows.map(({ name }) => name));
  const statements = roles.map((role) => {
    const verb = existing.has(role) ? 'alter' : 'create';
    const privileges = role === admin || role === granting ? 'createrole' : '';
    return `${verb} role ${quoted(role)} login ${privileges} password '${names.password(role)}'`;
  });
  for (const role of [admin, reading].filter((name) => !existing.has(name)))
    statements.push(`grant pg_read_all_stats to ${quoted(role)}`);
  for (const role of roles.slice(3)) {
    for (const administrator of [admin, granting].filter((name) => !existing.has(role) || !existing.has(name)))
      statements.push(`grant ${quoted(role)} to ${quoted(administrator)} with admin true, inherit true, set true`);
  }
  await superuser.query(statements.join(';\n'));
  for (const { heliumDataSourceName } of definition.dataSources) {
    const database = names.database(heliumDataSourceName);
    if (existing.has(database)) continue;
    await superuser.query(`create database ${quoted(database)} owner ${quoted(names.admin)} template template0`);
  }
}

async function fillDatabase(plan: Plan, names: Names, dataSource: DataSource): Promise<void> {
  await connect(names.url(dataSource.dbName, names.admin), async (admin) => {
    const { rows: found } = await admin.query<{ ready: boolean }>(
      `select to_regclass('helium_platform.provisioned') is not null as ready`,
    );
    if (found[0]?.ready !== true) await prepareDatabase(names, dataSource);
    const { rows } = await admin.query<{ schema_name: string; fingerprint: string }>(
      'select schema_name, fingerprint from helium_platform.provisioned',
    );
    const present = new Map(rows.map((row) => [row.schema_name, row.fingerprint]));
    for (const app of plan.definition.apps.filter((one) => one.dataSource === dataSource.heliumDataSourceName)) {
      const script = appScript(app);
      const fingerprint = createHash('sha256').update(script).digest('hex');
      if (present.get(app.schemaName) === fingerprint) continue;
      await createSchema(admin, names.appRole(app), app, { script, fingerprint, fill: plan.fill });
    }
  });
}

/** Runs the statements of a new database that need a superuser. */
async function prepareDatabase(names: Names, { dbName }: DataSource): Promise<void> {
  const [admin, reading, granting] = [names.admin, names.reading, names.granting].map(quoted);
  await connect(names.superuserUrl(dbName), async (superuser) => {
    await superuser.query(`begin;
      create extension if not exists pg_stat_statements;
      grant execute on function pg_stat_statements_reset to ${admin}, ${reading};
      grant create on database ${quoted(dbName)} to ${granting};
      create schema if not exists helium_platform authorization ${admin};
      set local role ${admin};
      create table helium_platform.provisioned (schema_name text primary key, fingerprint text not null);
      create table helium_platform.app_config (app_id uuid primary key, config jsonb not null);
      create table helium_platform.service_config (only_row boolean primary key default true check (only_row), config jsonb not null);
      create table helium_platform.disabled_event (app_id uuid, scheduled_event text, primary key (app_id, scheduled_event));
      commit;`);
  });
}

function appScript(app: AppDefinition): string {
  return [schemaDdl(app, app.schemaName, seedSql(app, app.scale)), viewsDdl(app)].join('\n');
}

interface NewSchema {
  readonly script: string;
  readonly fingerprint: string;
  readonly fill: Plan['fill'];
}

/**
 * Creates the schema again when the app's definition has changed; its rows are generated anyway.
 */
async function createSchema(
  admin: pg.Client,
  role: string,
  app: AppDefinition,
  { script, fingerprint, fill }: NewSchema,
): Promise<void> {
  const schema = quoted(app.schemaName);
  try {
    await admin.query(`begin;
      ${extensionsDdl(app)}
      drop schema if exists ${schema} cascade;
      create schema ${schema} authorization ${quoted(role)};
      set local role ${quoted(role)};
      set local search_path = ${schema};
      ${script}`);
    await fill(admin, app);
    await admin.query('reset role');
    await admin.query(
      `insert into helium_platform.provisioned values ($1, $2)
       on conflict (schema_name) do update set fingerprint = excluded.fingerprint`,
      [app.schemaName, fingerprint],
    );
    await admin.query('commit');
  } catch (error) {
    await admin.query('rollback');
    throw new Error(`The schema ${app.schemaName} of ${app.name} could not be created`, { cause: error });
  }
}

function connect<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient({ connectionString: url, application_name: 'helium-platform' }, use);
}
