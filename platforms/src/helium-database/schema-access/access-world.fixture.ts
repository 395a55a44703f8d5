import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect } from 'vitest';
import { type HeliumDatabase, openHeliumDatabase } from '../database.ts';
import { type GrantAccessPlan, type GrantRequest, grantAccess } from './grant-access.ts';
import type { RunResult } from './run-steps.ts';
import { schemaWithEverything } from './schema-with-everything.fixture.ts';

const quoted = pg.escapeIdentifier;
const password = 'secret';

/**
 * A database with one schema, its app's role, two teams, and a portal user that is not a superuser.
 */
export interface AccessWorld {
  readonly schemaName: string;
  readonly app: string;
  readonly team: string;
  readonly otherTeam: string;
  readonly portal: string;
  /** Connects as the portal's user. */
  readonly database: HeliumDatabase;
  /** The address of the database for the portal's user. */
  readonly url: string;
  /**
   * Runs SQL in one call as a role, with the schema first in the search path. Without a role it
   * runs as a superuser.
   */
  sql(text: string, role?: string): Promise<Record<string, unknown>[]>;
  connect(role?: string): Promise<pg.Client>;
  /**
   * Returns every owner and privilege in the schema, with memberships and default privileges, as
   * text.
   */
  state(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * @param serverUrl superuser address of a server on which other tests may have databases and roles
 * @param schema the schema's name and the SQL that creates it
 */
export async function startAccessWorld(
  serverUrl: string,
  { schemaName = `Clinic "Visits" 'é'; --`, schemaSql = schemaWithEverything } = {},
): Promise<AccessWorld> {
  const suffix = randomBytes(6).toString('hex');
  const name = `access_${suffix}`;
  const roles = {
    app: `app "of" ${suffix}`,
    team: `Team A; drop ${suffix}`,
    otherTeam: `team-b'${suffix}`,
    portal: `portal_${suffix}`,
  };
  const getRoleUrl = (database: string, role?: string) => {
    const url = new URL(serverUrl);
    url.pathname = `/${database}`;
    if (role !== undefined) {
      url.username = encodeURIComponent(role);
      url.password = password;
    }
    return url.href;
  };
  const connect = async (database: string, role?: string) => {
    const client = new pg.Client({
      connectionString: getRoleUrl(database, role),
      ...(role !== undefined && { options: `-c search_path=${quoted(schemaName).replaceAll(/[\\ ]/g, '\\$&')}` }),
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const run = async (database: string, text: string, role?: string) => {
    const client = await connect(database, role);
    try {
      const results = [await client.query(text)].flat();
      return results.at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  };
  await run('postgres', `create database ${name} template template0`);
  const isOld = (await run('postgres', `select current_setting('server_version_num')::int < 160000 as old`))[0]?.old;
  const withAdmin = isOld ? 'with admin option' : 'with admin true, inherit true, set true';
  const { app, team, otherTeam, portal } = roles;
  await run(
    name,
    `${Object.values(roles)
      .map((role) => `create role ${quoted(role)} login password '${password}';`)
      .join('')}
     ${[app, team, otherTeam].map((role) => `grant ${quoted(role)} to ${quoted(portal)} ${withAdmin};`).join('')}
     grant create on database ${name} to ${quoted(portal)};
     begin; ${schemaSql(schemaName, app)} commit;`,
  );
  const url = getRoleUrl(name, portal);
  const database = openHeliumDatabase({ name: 'helium-app-1', url });
  return {
    schemaName,
    ...roles,
    database,
    url,
    sql: (text, role) => run(name, text, role),
    connect: (role) => connect(name, role),
    async state() {
      const rows = await run(name, stateSql(schemaName, Object.values(roles)));
      return rows.map(({ line }) => String(line));
    },
    async stop() {
      await database.close();
      // Only PostgreSQL 13 and newer can close the sessions of a database that is dropped.
      await run('postgres', `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      await run('postgres', `drop database ${name}`);
      await run('postgres', `drop role ${Object.values(roles).map(quoted).join(', ')}`);
    },
  };
}

/**
 * Deliberately reads the catalogs in a different way than the product does. Memberships are those
 * of the world's roles: other tests create and drop roles on the same server.
 */
function stateSql(schemaName: string, roles: readonly string[]): string {
  const schema = `${pg.escapeLiteral(quoted(schemaName))}::regnamespace`;
  const acl = (own: string, type: string, owner: string) =>
    `(select string_agg(format('%s>%s:%s:%s', grantor::regrole, grantee::regrole, privilege_type, is_grantable), ' '
        order by grantor, grantee, privilege_type) from aclexplode(coalesce(${own}, acldefault(${type}, ${owner}))))`;
  const owned = (catalog: string, prefix: string) =>
    `select format('${catalog} %s %s', oid, ${prefix}owner::regrole) from ${catalog} where ${prefix}namespace = ${schema}`;
  return `select line from (
    select format('relation %s %s %s', relname, relowner::regrole,
      ${acl('relacl', `(case relkind when 'S' then 's' else 'r' end)::"char"`, 'relowner')}) as line
    from pg_class where relnamespace = ${schema} and relkind not in ('i', 'I', 't', 'c')
    union all select format('column %s %s %s', attrelid, attname, ${acl('attacl', `'c'`, '10')})
      from pg_attribute join pg_class c on c.oid = attrelid where relnamespace = ${schema} and attacl <> '{}'
    union all select format('routine %s %s %s', oid, proowner::regrole, ${acl('proacl', `'f'`, 'proowner')})
      from pg_proc where pronamespace = ${schema}
    union all select format('type %s %s %s', typname, typowner::regrole, ${acl('typacl', `'T'`, 'typowner')})
      from pg_type where typnamespace = ${schema} and typname not like '\\_%'
    union all ${owned('pg_collation', 'coll')} union all ${owned('pg_conversion', 'con')}
    union all ${owned('pg_operator', 'opr')} union all ${owned('pg_opclass', 'opc')} union all ${owned('pg_opfamily', 'opf')}
    union all ${owned('pg_ts_config', 'cfg')} union all ${owned('pg_ts_dict', 'dict')} union all ${owned('pg_statistic_ext', 'stx')}
    union all select format('schema %s %s', nspowner::regrole, ${acl('nspacl', `'n'`, 'nspowner')}) from pg_namespace where oid = ${schema}
    union all select format('defaults %s %s %s', defaclrole::regrole, defaclobjtype, ${acl('defaclacl', 'defaclobjtype', 'defaclrole')})
      from pg_default_acl where defaclnamespace = ${schema}
    union all select format('member %s', to_jsonb(m) - 'oid') from pg_auth_members m
      where (select array_agg(oid) from pg_roles where rolname in (${roles.map(pg.escapeLiteral).join(', ')})) && array[roleid, member]
  ) s order by 1`;
}

/** Grants the first team access to the world's schema, unless options specify otherwise. */
export function grantAccessIn(
  world: AccessWorld,
  wanted: Partial<GrantRequest> = {},
): Promise<RunResult<GrantAccessPlan>> {
  const { schemaName, team, otherTeam } = world;
  return grantAccess(world.database, { schemaName, team, teams: [team, otherTeam], mode: 'run', ...wanted });
}

export async function planActionsIn(world: AccessWorld): Promise<string[]> {
  const { plan } = await grantAccessIn(world, { mode: 'plan' });
  return plan.steps.map(({ sql }) => sql);
}

/** Returns the failure of a grant. Throws unless the state afterwards equals the state before. */
export async function catchFailureIn(world: AccessWorld, wanted: Partial<GrantRequest> = {}): Promise<unknown> {
  const before = await world.state();
  const problem: unknown = await grantAccessIn(world, wanted).then(
    () => expect.unreachable('the grant succeeded'),
    (error: unknown) => error,
  );
  expect(await world.state()).toEqual(before);
  return problem;
}
