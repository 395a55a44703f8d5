import { Conflict, NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';

/** A data source, or a transaction on it. */
export type Asked = Pick<HeliumDatabase, 'query'>;

export interface AppRoleHints {
  /** Roles that are teams, and so no app's. */
  readonly teams: readonly string[];
  /** The role that was the app's when access was last granted, where that is on record. */
  readonly recorded?: string | undefined;
}

/**
 * The role an app works as, and the owner of its schema. While no team has the schema they are the
 * same; afterwards the record knows, or the mark that a grant leaves in the schema's privileges.
 * Throws NotFound when there is no such schema, Conflict when nobody can tell.
 */
export async function findAppRole(
  asked: Asked,
  schemaName: string,
  { teams, recorded }: AppRoleHints,
): Promise<{ readonly appRole: string; readonly owner: string }> {
  const [schema] = await asked.query<{ owner: string; recordedExists: boolean; marked: string[] }>(
    `select pg_get_userbyid(n.nspowner)::text as owner,
       exists (select from pg_roles where rolname = $2) as "recordedExists",
       array(select distinct r.rolname::text from aclexplode(n.nspacl) e join pg_roles r on r.oid = e.grantee
             where e.privilege_type = 'CREATE' and r.rolcanlogin and r.oid <> n.nspowner
               and r.rolname <> all ($3::text[]) and pg_has_role(r.oid, n.nspowner, 'MEMBER')) as marked
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
    `${owner} owns the schema ${schemaName}, and it cannot be told which role the app itself works as. ` +
      `Let an administrator make that role a member of ${owner} and grant it USAGE and CREATE on the schema; then try again.`,
  );
}
