import { z } from 'zod';
import type { Queryable } from './app-role.ts';
import { aclJson, inventorySql } from './inventory-sql.ts';
import { type AclEntry, kinds, type SchemaState, schemaStateSchema } from './schema-state.ts';

const { acl, objects, memberships, defaultPrivileges } = schemaStateSchema.shape;
const surroundingsSchema = z.strictObject({ owner: z.string(), acl, memberships, defaultPrivileges });
const inventorySchema = objects;

/**
 * Reads a schema and everything in it, with objects in the order of a plan. The search path of
 * `queryable` must be empty.
 *
 * @param appRole the role the app works as
 */
export async function readSchemaState(queryable: Queryable, schemaName: string, appRole: string): Promise<SchemaState> {
  const [surroundings] = await queryable.query(
    `select pg_get_userbyid(n.nspowner)::text as owner, ${aclJson('n.nspacl')} as acl,
       (select coalesce(json_agg(json_build_object('role', pg_get_userbyid(m.roleid), 'grantor', pg_get_userbyid(m.grantor),
          'admin', m.admin_option, 'inherit', to_jsonb(m) -> 'inherit_option', 'set', to_jsonb(m) -> 'set_option')
          order by m.roleid, m.grantor), '[]')
        from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname = $2) as memberships,
       (select coalesce(json_agg(json_build_object('acl', ${aclJson('d.defaclacl')}, 'objects',
          case d.defaclobjtype when 'r' then 'TABLES' when 'S' then 'SEQUENCES' when 'f' then 'FUNCTIONS' else 'TYPES' end)
          order by d.defaclobjtype), '[]')
        from pg_default_acl d join pg_roles r on r.oid = d.defaclrole
        where d.defaclnamespace = n.oid and r.rolname = $2 and d.defaclobjtype in ('r', 'S', 'f', 'T')) as "defaultPrivileges"
     from pg_namespace n where n.nspname = $1`,
    [schemaName, appRole],
  );
  const rows = await queryable.query<{ columns: unknown }>(inventorySql, [schemaName]);
  const found = inventorySchema.parse(rows.map((row) => ({ ...row, columns: row.columns ?? [] })));
  const rank = new Map(kinds.map((kind, index) => [kind, index]));
  return {
    ...surroundingsSchema.parse(surroundings),
    schemaName,
    appRole,
    objects: found.sort(
      (a, b) => (rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0) || (a.identity < b.identity ? -1 : 1),
    ),
  };
}

/** Default privileges of the owner, here called '', and of PUBLIC per kind of object. */
export type AclDefaults = Readonly<Record<'n' | 'r' | 's' | 'f' | 'T', readonly AclEntry[]>>;

export async function readAclDefaults(queryable: Queryable): Promise<AclDefaults> {
  const rows = await queryable.query<{ type: keyof AclDefaults; privilege: string; everybody: boolean }>(
    `select k.type, e.privilege_type as privilege, e.grantee = 0 as everybody
     from unnest(array['n', 'r', 's', 'f', 'T']) as k (type), aclexplode(acldefault(k.type::"char", 10)) e`,
  );
  const of = (type: keyof AclDefaults) =>
    rows
      .filter((row) => row.type === type)
      .map(({ privilege, everybody }) => ({
        grantor: '',
        grantee: everybody ? null : '',
        privilege,
        grantable: false,
      }));
  return { n: of('n'), r: of('r'), s: of('s'), f: of('f'), T: of('T') };
}
