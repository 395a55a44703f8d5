import { Conflict, NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';

/** A data source or a transaction on it. */
export type Queryable = Pick<HeliumDatabase, 'query'>;

export interface AppRoleHints {
  /** Roles that belong to teams and therefore to no app. */
  readonly teams: readonly string[];
  /** The app's role at the time of the last recorded grant. */
  readonly recorded?: string | undefined;
}

/**
 * Returns the query for the roles that have the mark of an app's role in the privileges of a
 * schema. The arguments are expressions.
 */
export function markedRolesSql(acl: string, owner: string, teams: string): string {
  return `select distinct r.rolname::text from aclexplode(${acl}) e join pg_roles r on r.oid = e.grantee
      where e.privilege_type = 'CREATE' and r.rolcanlogin and r.oid <> ${owner}
        and r.rolname <> all (${teams}) and pg_has_role(r.oid, ${owner}, 'MEMBER')`;
}

/**
 * Finds the role an app works as, and the owner of its schema. The two are the same until a team
 * gets access. After that, the app's role comes from the record, or from the mark that a grant
 * leaves in the schema's privileges. Throws NotFound when the schema does not exist, and Conflict
 * when the app's role cannot be determined.
 */
export async function findAppRole(
  queryable: Queryable,
  schemaName: string,
  { teams, recorded }: AppRoleHints,
): Promise<{ readonly appRole: string; readonly owner: string }> {
  const [schema] = await queryable.query<{ owner: string; recordedExists: boolean; marked: string[] }>(
    `select pg_get_userbyid(n.nspowner)::text as owner,
       exists (select from pg_roles where rolname = $2) as "recordedExists",
       array(${markedRolesSql('n.nspacl', 'n.nspowner', '$3::text[]')}) as marked
     from pg_namespace n where n.nspname = $1`,
    [schemaName, recorded ?? null, teams],
  );
  if (!schema) throw new NotFound(`There is no schema ${schemaName} in this data source.`);
  const { owner, recordedExists, marked } = schema;
  if (!teams.includes(owner)) return { appRole: owner, owner };
  if (recorded !== undefined && recordedExists) return { appRole: recorded, owner };
  const [only, ...others] = marked;
  if (only !== undefined && others.length === 0) return { appRole: only, owner };
  throw new Conflict(
    `${owner} owns the schema ${schemaName}, and the role the app works as cannot be determined. ` +
      `Ask an administrator to make that role a member of ${owner} and to grant it USAGE and CREATE on the schema; then try again.`,
  );
}
