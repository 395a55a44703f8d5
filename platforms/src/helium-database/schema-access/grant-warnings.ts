import type { Asked } from './app-role.ts';
import { listed } from './grant-checks.ts';
import type { RoleFacts } from './grant-facts.ts';
import type { Membership, SchemaState } from './schema-state.ts';

const mostNames = 5;

interface Findings {
  readonly definers: string[];
  readonly blindViews: string[];
  readonly servers: string[];
}

/** What is worth knowing before a team gets a schema, and no reason to refuse: sentences. */
export async function readGrantWarnings(
  asked: Asked,
  state: SchemaState,
  { team, facts, stayingIn }: { team: string; facts: RoleFacts; stayingIn: readonly Membership[] },
): Promise<string[]> {
  const [found] = await asked.query<Findings & Record<string, unknown>>(findingsSql, [state.schemaName, team]);
  const { definers = [], blindViews = [], servers = [] } = found ?? {};
  const warnings: string[] = [];
  if (facts.appIsSuperuser) {
    warnings.push(
      `${state.appRole}, which owns the schema and so is taken for the role the app works as, is a superuser.`,
    );
  }
  if (definers.length > 0) {
    warnings.push(
      `Whoever calls ${counted(definers, 'SECURITY DEFINER function')} would act as ${team}: ${some(definers)}.`,
    );
  }
  if (blindViews.length > 0) {
    warnings.push(
      `${counted(blindViews, 'view')} would stop working, because ${team} may not read what is outside the schema: ${some(blindViews)}.`,
    );
  }
  if (servers.length > 0) {
    warnings.push(
      `${team} has no user mapping for the foreign server ${listed(servers)}, so it cannot read the foreign tables there.`,
    );
  }
  const memberOf = facts.team?.memberOf ?? [];
  if (memberOf.length > 0) {
    warnings.push(
      `${team} is a member of ${listed(memberOf)}; ${state.appRole}, which becomes a member of ${team}, could do all they may as well.`,
    );
  }
  if (facts.team?.canLogIn === false) warnings.push(`${team} may not log in; only members of it will profit.`);
  for (const { role, grantor } of stayingIn) {
    warnings.push(
      `${state.appRole} stays a member of ${role}: ${grantor} granted that, for whom ${facts.user} may not act.`,
    );
  }
  return [...warnings, ...othersWithPrivileges(state, team)];
}

function othersWithPrivileges({ owner, appRole, objects, acl }: SchemaState, team: string): string[] {
  const objectsByRole = new Map<string, number>();
  for (const object of [{ owner, acl, columns: [], kind: 'schema' }, ...objects]) {
    const entries = [...(object.acl ?? []), ...object.columns.flatMap((column) => column.acl)];
    // That everybody may call functions and use types is PostgreSQL's default, and no news.
    const isOpen = /function|procedure|aggregate|type|domain|enum/.test(object.kind);
    const roles = new Set(entries.map(({ grantee }) => grantee ?? (isOpen ? appRole : 'everybody (PUBLIC)')));
    for (const role of roles) {
      if (![owner, object.owner, appRole, team].includes(role))
        objectsByRole.set(role, (objectsByRole.get(role) ?? 0) + 1);
    }
  }
  return [...objectsByRole].map(
    ([role, count]) => `${role} keeps the privileges it was granted on ${count} ${count === 1 ? 'object' : 'objects'}.`,
  );
}

function counted(names: readonly string[], noun: string): string {
  return `${names.length} ${noun}${names.length === 1 ? '' : 's'}`;
}

function some(names: readonly string[]): string {
  const rest = names.length - mostNames;
  return names.slice(0, mostNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

const findingsSql = `
with place as materialized (select oid from pg_namespace where nspname = $1),
  team as materialized (select oid, rolname from pg_roles where rolname = $2)
select
  array(select (pg_identify_object('pg_proc'::regclass, p.oid, 0)).identity
        from team cross join place join pg_proc p on p.pronamespace = place.oid
        where p.prosecdef and p.proowner <> team.oid
          and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        order by 1) as definers,
  array(select distinct format('%I.%I', $1::text, v.relname) || ' (' || read.oid::regclass || ')'
        from team cross join place join pg_class v on v.relnamespace = place.oid and v.relkind in ('v', 'm')
        join pg_rewrite r on r.ev_class = v.oid
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
        join pg_class read on read.oid = d.refobjid and read.relnamespace <> place.oid
        where not coalesce('security_invoker=true' = any (v.reloptions), false) and v.relowner <> team.oid
          and not (has_schema_privilege(team.oid, read.relnamespace, 'USAGE')
            and (has_table_privilege(team.oid, read.oid, 'SELECT') or has_any_column_privilege(team.oid, read.oid, 'SELECT')))
        order by 1) as "blindViews",
  array(select distinct s.srvname::text
        from team cross join place join pg_class c on c.relnamespace = place.oid join pg_foreign_table f on f.ftrelid = c.oid
        join pg_foreign_server s on s.oid = f.ftserver
        where not exists (select from pg_user_mappings m where m.srvid = s.oid and m.umuser in (0, team.oid))) as servers`;
