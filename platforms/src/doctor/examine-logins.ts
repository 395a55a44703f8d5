/**
 * Examines with which rights the portal works in a data source: either one login does everything,
 * and what an app's owner could do with it is listed, or separate logins do, and what they lack, or
 * have beyond their purpose, is.
 */
import pg from 'pg';
import { isPowerfulSql, roleAttributesSql } from '../helium-database/logins/role-attributes.ts';

export interface LoginReport {
  readonly lines: readonly string[];
  readonly isGood: boolean;
}

/** Runs a query as the login that is examined. */
type Query = <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<Row[]>;

const quoted = pg.escapeIdentifier;

interface Rights {
  readonly user: string;
  readonly database: string;
  readonly versionNumber: number;
  /** Such as SUPERUSER; none is needed but CREATEROLE of the granting login. */
  readonly attributes: readonly string[];
  /** Roles that it is a member of, directly, without PostgreSQL's own. */
  readonly memberOf: readonly string[];
  /** Roles that it can give to others. */
  readonly givesAway: readonly string[];
  /** Apps with a table that it may read. */
  readonly readable: readonly string[];
  readonly readsStatistics: boolean;
  readonly canCreate: boolean;
}

const rightsSql = `
  select current_user::text as user, current_database()::text as database,
    current_setting('server_version_num')::int as "versionNumber",
    ${roleAttributesSql('me')} as attributes,
    array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
      where m.member = me.oid and g.rolname not like 'pg\\_%' order by 1) as "memberOf",
    array(select r.rolname::text from pg_roles r where r.rolname not like 'pg\\_%' and r.oid <> me.oid
      and pg_has_role(me.oid, r.oid, 'MEMBER WITH ADMIN OPTION') order by 1) as "givesAway",
    array(select n.nspname::text from pg_namespace n
      where exists (select from pg_class c where c.relnamespace = n.oid and c.relname = '__he_data_version__')
        and exists (select from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p')
          and has_any_column_privilege(c.oid, 'SELECT'))
      order by 1) as readable,
    pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') as "readsStatistics",
    has_database_privilege(current_database(), 'CREATE') as "canCreate"
  from pg_roles me where me.rolname = current_user`;

async function readRights(query: Query): Promise<Rights> {
  const [rights] = await query<Rights & pg.QueryResultRow>(rightsSql);
  if (!rights) throw new Error('the server does not know its own user');
  return rights;
}

/** Reports what the owner of any app could do with the only login. It is no problem: all works. */
export async function examineOnlyLogin(query: Query): Promise<LoginReport> {
  const { user, attributes, memberOf, givesAway, readable } = await readRights(query);
  const powers = [
    ...(readable.length > 0 ? [`read ${listSome(readable)}`] : []),
    ...(memberOf.length > 0 ? [`act as ${listSome(memberOf)}`] : []),
    ...(givesAway.length > 0 ? [`give ${listSome(givesAway)} to others`] : []),
    ...(attributes.length > 0 ? [`use ${attributes.join(', ')}`] : []),
  ];
  return {
    lines: [
      `one login does everything: views, triggers and functions of each app run with the rights of ${user} where the portal reads, or the sync writes`,
      `so the owner of one app could ${powers.join('; ') || 'do nothing beyond that app'}`,
      'separate logins prevent this: see grantUrl in docs/configuration.md',
    ],
    isGood: true,
  };
}

/** Reports what the reading login lacks, and what it has beyond reading catalogs and statistics. */
export async function examineReadingLogin(query: Query): Promise<LoginReport> {
  const { user, attributes, memberOf, readable, readsStatistics } = await readRights(query);
  const problems = [
    ...attributes.map((each) => `has a right too many: ALTER ROLE ${quoted(user)} NO${each};`),
    ...memberOf.map((role) => `has a right too many: REVOKE ${quoted(role)} FROM ${quoted(user)};`),
    ...(memberOf.length > 0 || attributes.includes('SUPERUSER')
      ? []
      : readable.map((schema) => `can read the app schema ${schema}; revoke what it was granted there`)),
  ];
  const missing = readsStatistics
    ? []
    : [`sees only its own statements; for statistics: GRANT pg_read_all_stats TO ${quoted(user)};`];
  return {
    lines: [`reading login ${user}: catalogs and statistics`, ...indent([...problems, ...missing])],
    isGood: problems.length === 0,
  };
}

export interface GrantingNeeds {
  /** The owners of the apps' schemas. */
  readonly owners: readonly string[];
  /** The database users of teams. */
  readonly teams: readonly string[];
}

/** Reports what the granting login lacks to give access and to create the logins of apps. */
export async function examineGrantingLogin(query: Query, { owners, teams }: GrantingNeeds): Promise<LoginReport> {
  const { user, database, versionNumber, attributes, givesAway, canCreate } = await readRights(query);
  const isSuperuser = attributes.includes('SUPERUSER');
  const known = await query<{ name: string; isPowerful: boolean }>(
    `select r.rolname::text as name, ${isPowerfulSql('r')} as "isPowerful" from pg_roles r where r.rolname = any ($1)`,
    [[...owners, ...teams]],
  );
  const options = versionNumber >= 160_000 ? 'WITH ADMIN TRUE, INHERIT TRUE, SET TRUE' : 'WITH ADMIN OPTION';
  const problems = [
    ...(isSuperuser ? ['is a superuser; use a role with the rights below instead'] : []),
    ...(attributes.includes('CREATEROLE') || isSuperuser
      ? []
      : [`missing right: ALTER ROLE ${quoted(user)} CREATEROLE;`]),
    ...(canCreate ? [] : [`missing right: GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(user)};`]),
    ...known
      .filter(({ name, isPowerful }) => !isSuperuser && !isPowerful && !givesAway.includes(name))
      .map(({ name }) => `missing right: GRANT ${quoted(name)} TO ${quoted(user)} ${options};`),
    ...known
      .filter(({ name, isPowerful }) => isPowerful && owners.includes(name))
      .map(
        ({ name }) =>
          `app schemas belong to ${name}, which has more rights than an app may have; the portal does not work in them`,
      ),
    ...teams
      .filter((team) => known.every(({ name }) => name !== team))
      .map((team) => `the role ${team} of teamUsers does not exist`),
  ];
  return {
    lines: [`granting login ${user}: access of teams, and one login for each app`, ...indent(problems)],
    isGood: problems.length === 0,
  };
}

const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

const shown = 3;

function listSome(names: readonly string[]): string {
  const rest = names.length - shown;
  return rest > 0 ? `${names.slice(0, shown).join(', ')} and ${rest} more` : names.join(', ');
}
