import pg from 'pg';
import type { Queryable } from './app-role.ts';
import { joinList } from './grant-checks.ts';
import type { RoleFacts } from './grant-facts.ts';
import type { Membership, SchemaState } from './schema-state.ts';

const maxListedNames = 5;

interface Findings {
  readonly definers: string[];
  readonly blindViews: string[];
  readonly servers: string[];
  readonly extensions: readonly { readonly schema: string; readonly names: string[] }[];
}

interface Concerned {
  readonly team: string;
  readonly facts: RoleFacts;
  readonly remainingMemberships: readonly Membership[];
  /** The portal's own login, which may read how far the change log of an app is. */
  readonly reader: string | null;
}

/** Returns warnings about a grant that do not prevent it, as sentences. */
export async function readGrantWarnings(
  queryable: Queryable,
  state: SchemaState,
  { team, facts, remainingMemberships, reader }: Concerned,
): Promise<string[]> {
  const [found] = await queryable.query<Findings & Record<string, unknown>>(findingsSql, [
    state.schemaName,
    team,
    state.appRole,
  ]);
  const { definers = [], blindViews = [], servers = [], extensions = [] } = found ?? {};
  const warnings: string[] = [];
  if (facts.appIsSuperuser) {
    warnings.push(
      `${state.appRole}, which owns the schema and is therefore assumed to be the app's role, is a superuser.`,
    );
  }
  if (definers.length > 0) {
    warnings.push(
      `Anyone who calls ${formatCount(definers, 'SECURITY DEFINER function')} would act as ${team}: ${listSome(definers)}.`,
    );
  }
  if (blindViews.length > 0) {
    warnings.push(
      `${formatCount(blindViews, 'view')} would stop working because ${team} cannot read objects outside the schema: ${listSome(blindViews)}.`,
    );
  }
  if (servers.length > 0) {
    warnings.push(
      `${team} has no user mapping for the foreign server ${joinList(servers)}, so it cannot read its foreign tables.`,
    );
  }
  for (const { schema, names } of extensions) {
    warnings.push(
      `${team} cannot call functions of the ${names.length === 1 ? 'extension' : 'extensions'} ${joinList(names)}, because it may not use the schema ${schema}. ` +
        `Run: GRANT USAGE ON SCHEMA ${pg.escapeIdentifier(schema)} TO ${pg.escapeIdentifier(team)};`,
    );
  }
  const memberOf = facts.team?.memberOf ?? [];
  if (memberOf.length > 0) {
    warnings.push(
      `${team} is a member of ${joinList(memberOf)}. ${state.appRole} becomes a member of ${team} and would get those privileges too.`,
    );
  }
  if (facts.team?.canLogIn === false) warnings.push(`${team} cannot log in; only its members benefit.`);
  for (const { role, grantor } of remainingMemberships) {
    warnings.push(
      `${state.appRole} stays a member of ${role}: ${grantor} granted that membership, and ${facts.user} cannot act for that role.`,
    );
  }
  return [...warnings, ...othersWithPrivileges(state, [team, reader])];
}

function othersWithPrivileges(
  { owner, appRole, objects, acl }: SchemaState,
  expected: readonly (string | null)[],
): string[] {
  const objectsByRole = new Map<string, number>();
  for (const object of [{ owner, acl, columns: [], kind: 'schema' }, ...objects]) {
    const entries = [...(object.acl ?? []), ...object.columns.flatMap((column) => column.acl)];
    // PUBLIC can call functions and use types by default, so that is not worth a warning.
    const isOpen = /function|procedure|aggregate|type|domain|enum/.test(object.kind);
    const roles = new Set(entries.map(({ grantee }) => grantee ?? (isOpen ? appRole : 'all users (PUBLIC)')));
    for (const role of roles) {
      if (![owner, object.owner, appRole, ...expected].includes(role))
        objectsByRole.set(role, (objectsByRole.get(role) ?? 0) + 1);
    }
  }
  return [...objectsByRole].map(
    ([role, count]) => `${role} keeps the privileges it was granted on ${count} ${count === 1 ? 'object' : 'objects'}.`,
  );
}

function formatCount(names: readonly string[], noun: string): string {
  return `${names.length} ${noun}${names.length === 1 ? '' : 's'}`;
}

function listSome(names: readonly string[]): string {
  const rest = names.length - maxListedNames;
  return names.slice(0, maxListedNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

const findingsSql = `
with recursive place as (select oid from pg_namespace where nspname = $1),
  team as (select oid, rolname from pg_roles where rolname = $2),
  -- The catalog has options as they were spelled: 'on', '1' or 'true'.
  views as (select v.oid, v.relnamespace, v.relkind, exists (select from pg_options_to_table(v.reloptions) o
              where o.option_name = 'security_invoker' and o.option_value::bool) as for_invoker
            from pg_class v where v.relkind in ('v', 'm')),
  reads as (select distinct r.ev_class as reader, d.refobjid as read
            from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
              and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.ev_class),
  -- The views of the schema, and those through which a materialized view reads when its owner
  -- refreshes it. What a view for the invoker reads is read as that owner, what others read is not.
  readers as (
    select v.oid as view, v.oid as reader, v.relkind, not v.for_invoker as is_owner
    from views v join place on v.relnamespace = place.oid
    union
    select readers.view, inner_view.oid, readers.relkind, inner_view.for_invoker
    from readers join reads on reads.reader = readers.reader
    join views inner_view on inner_view.oid = reads.read and inner_view.relkind = 'v'
    where readers.relkind = 'm')
select
  array(select (pg_identify_object('pg_proc'::regclass, p.oid, 0)).identity
        from team cross join place join pg_proc p on p.pronamespace = place.oid
        where p.prosecdef and p.proowner <> team.oid
          and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        order by 1) as definers,
  array(select distinct format('%I.%I', $1::text, v.relname) || ' (' || read.oid::regclass || ')'
        from team cross join place cross join readers
        join pg_class v on v.oid = readers.view
        join reads on reads.reader = readers.reader
        join pg_class read on read.oid = reads.read and read.relnamespace <> place.oid
        where readers.is_owner and v.relowner <> team.oid
          and not (has_schema_privilege(team.oid, read.relnamespace, 'USAGE')
            and (has_table_privilege(team.oid, read.oid, 'SELECT') or has_any_column_privilege(team.oid, read.oid, 'SELECT')))
        order by 1) as "blindViews",
  array(select distinct s.srvname::text
        from team cross join place join pg_class c on c.relnamespace = place.oid join pg_foreign_table f on f.ftrelid = c.oid
        join pg_foreign_server s on s.oid = f.ftserver
        where not exists (select from pg_user_mappings m where m.srvid = s.oid and m.umuser in (0, team.oid))) as servers,
  array(select json_build_object('schema', n.nspname, 'names', array_agg(e.extname order by e.extname))
        from team cross join place join pg_roles app on app.rolname = $3
        join pg_namespace n on n.oid <> place.oid and has_schema_privilege(app.oid, n.oid, 'USAGE')
          and not has_schema_privilege(team.oid, n.oid, 'USAGE')
        join pg_extension e on e.extnamespace = n.oid
        group by n.nspname order by n.nspname) as extensions`;
