import { z } from 'zod';
import type { Queryable } from './app-role.ts';
import type { GrantFacts } from './grant-plan.ts';
import type { AclDefaults } from './read-schema-state.ts';
import type { SchemaState } from './schema-state.ts';

const teamRoleSchema = z.strictObject({
  /** Why the team must not own a schema, each in the form "is a superuser". */
  unfit: z.array(z.string()),
  canLogIn: z.boolean(),
  /** Whether the app's role would become a member of itself. */
  isMemberOfApp: z.boolean(),
  /** Roles the team is a member of, whose privileges the app's role would also get. */
  memberOf: z.array(z.string()),
});

const factsSchema = z.strictObject({
  version: z.int(),
  user: z.string(),
  mayCreateInDatabase: z.boolean(),
  database: z.string(),
  isAlreadyMember: z.boolean(),
  mayGrantTeam: z.boolean(),
  mayActAsTeam: z.boolean(),
  appInherits: z.boolean(),
  appIsSuperuser: z.boolean(),
  team: teamRoleSchema.nullable(),
  /**
   * Roles the portal's user cannot act for: the app's role and owners of objects, except
   * superusers.
   */
  strangers: z.array(z.string()),
  foreignSuperusers: z.array(z.string()),
  revocableGrantors: z.array(z.string()),
});
export type RoleFacts = z.infer<typeof factsSchema>;

/** Why the role `team` must not own a schema of the role `app`, as an array with nulls. */
export const unfitTeamSql = `array[
    case when team.rolsuper then 'is a superuser' end,
    case when team.rolreplication then 'may replicate the whole server' end,
    case when team.rolbypassrls then 'bypasses row level security' end,
    case when team.rolcreaterole then 'may create roles' end,
    case when team.rolname like 'pg\\_%' then 'is one of PostgreSQL''s own roles' end,
    case when team.oid = app.oid then 'is the role the app works as' end,
    (select 'is a member of the superuser ' || min(s.rolname::text) from pg_roles s
     where s.rolsuper and s.oid <> team.oid and not team.rolsuper and pg_has_role(team.oid, s.oid, 'MEMBER')
     having count(*) > 0)]`;

/** Reads the roles involved in a grant and what the portal's user can do with them. */
export async function readRoleFacts(queryable: Queryable, state: SchemaState, team: string): Promise<RoleFacts> {
  const [known] = await queryable.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const version = known?.version ?? 0;
  // Since version 16, a membership can lack SET ROLE, which a change of owner requires.
  const canUseAndSet = (who: string, role: string) =>
    version < 160000
      ? `pg_has_role(${who}, ${role}, 'USAGE')`
      : `(pg_has_role(${who}, ${role}, 'USAGE') and pg_has_role(${who}, ${role}, 'SET'))`;
  const owners = state.objects.filter(({ follows }) => !follows).map(({ owner }) => owner);
  const grantingRoles = new Set([state.appRole, state.owner, ...owners]);
  const [facts] = await queryable.query(
    `select ${version} as version, current_user::text as user, current_database()::text as database,
       has_database_privilege(current_database(), 'CREATE') as "mayCreateInDatabase",
       coalesce(${canUseAndSet('app.oid', 'team.oid')}, false) as "isAlreadyMember",
       coalesce(pg_has_role(team.oid, 'MEMBER WITH ADMIN OPTION')
         ${version < 160000 ? 'or (me.rolcreaterole and not team.rolsuper)' : ''}, false) as "mayGrantTeam",
       coalesce(${canUseAndSet('me.oid', 'team.oid')}, false) as "mayActAsTeam",
       coalesce(app.rolinherit, true) as "appInherits", coalesce(app.rolsuper, false) as "appIsSuperuser",
       case when team.oid is not null then json_build_object(
         'unfit', array_remove(${unfitTeamSql} || case when team.oid = me.oid then 'is the portal''s own user' end, null),
         'canLogIn', team.rolcanlogin,
         'isMemberOfApp', app.oid is not null and pg_has_role(team.oid, app.oid, 'MEMBER'),
         'memberOf', array(select r.rolname from pg_roles r
           where r.oid <> team.oid and pg_has_role(team.oid, r.oid, 'MEMBER') order by 1)) end as team,
       array(select r.rolname::text from pg_roles r
         where r.rolname = any ($3) and not r.rolsuper and not ${canUseAndSet('me.oid', 'r.oid')} order by 1) as strangers,
       array(select r.rolname::text from pg_roles r
         where r.rolname = any ($3) and r.rolsuper and not ${canUseAndSet('me.oid', 'r.oid')} order by 1) as "foreignSuperusers",
       array(select r.rolname::text from pg_roles r
         where r.rolname = any ($4) and pg_has_role(me.oid, r.oid, 'USAGE')) as "revocableGrantors"
     from pg_roles me left join pg_roles team on team.rolname = $2 left join pg_roles app on app.rolname = $1
     where me.rolname = current_user`,
    [state.appRole, team, [...grantingRoles], state.memberships.map(({ grantor }) => grantor)],
  );
  return factsSchema.parse(facts);
}

/** Reads the facts that a plan needs. */
export function grantFacts(
  { version, isAlreadyMember, revocableGrantors }: RoleFacts,
  defaults: AclDefaults,
): GrantFacts {
  const owners = (type: keyof AclDefaults) =>
    defaults[type].filter(({ grantee }) => grantee !== null).map(({ privilege }) => privilege);
  return {
    version,
    isAlreadyMember,
    revocableGrantors,
    allPrivileges: { TABLES: owners('r'), SEQUENCES: owners('s'), FUNCTIONS: owners('f'), TYPES: owners('T') },
  };
}
