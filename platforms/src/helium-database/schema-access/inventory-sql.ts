/** Lists every object of the schema $1 that has an owner. Works on PostgreSQL 11 to 18. */

const aclEntries = (acl: string) => `(
  select json_agg(json_build_object('grantor', pg_get_userbyid(e.grantor), 'privilege', e.privilege_type,
    'grantee', case when e.grantee <> 0 then pg_get_userbyid(e.grantee) end, 'grantable', e.is_grantable))
  from aclexplode(${acl}) e)`;

/**
 * The ACL as entries; null when nothing was ever granted or revoked, an empty list when everything
 * was revoked.
 */
export const aclJson = (acl: string) => `case when ${acl} is not null then coalesce(${aclEntries(acl)}, '[]') end`;

const isMember = (catalog: string, oid: string) =>
  `exists (select from pg_depend d where d.classid = ${catalog} and d.objid = ${oid} and d.deptype = 'e')`;

/** Kinds without privileges: catalog, kind, and prefix of the column names. */
const plainKinds = [
  ['pg_collation', 'collation', 'coll'],
  ['pg_conversion', 'conversion', 'con'],
  ['pg_operator', 'operator', 'opr'],
  ['pg_opclass', 'operator class', 'opc'],
  ['pg_opfamily', 'operator family', 'opf'],
  ['pg_ts_config', 'text search configuration', 'cfg'],
  ['pg_ts_dict', 'text search dictionary', 'dict'],
  ['pg_statistic_ext', 'statistics', 'stx'],
] as const;

/**
 * The search path must be empty so that PostgreSQL qualifies the argument types of functions.
 * Members of extensions are excluded. Row types of relations are included only if they have
 * privileges of their own. Array types and, since PostgreSQL 17, multirange types are never
 * included because their owner follows that of their base type.
 */
export const inventorySql = `
with place as (select oid from pg_namespace where nspname = $1)
select o.catalog::text, o.oid, o.kind, o.owner, o.follows, ${aclJson('o.acl')} as acl, o.columns,
  coalesce(o.identity, (pg_identify_object(o.catalog, o.oid, 0)).identity) as identity
from (
  select 'pg_class'::regclass as catalog, c.oid, pg_get_userbyid(c.relowner)::text as owner, c.relacl as acl, null as identity,
    case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'f' then 'foreign table'
      when 'v' then 'view' when 'm' then 'materialized view' else 'sequence' end as kind,
    c.relkind = 'S' and exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')) as follows,
    (select json_agg(json_build_object('name', a.attname, 'acl', coalesce(${aclEntries('a.attacl')}, '[]')) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attacl is not null) as columns
  from place join pg_class c on c.relnamespace = place.oid where c.relkind in ('r', 'p', 'f', 'v', 'm', 'S')
  union all
  select 'pg_proc'::regclass, p.oid, pg_get_userbyid(p.proowner)::text, p.proacl,
    case when p.prokind <> 'a' then format('%I.%I(%s)', $1, p.proname, pg_get_function_identity_arguments(p.oid)) end,
    case p.prokind when 'f' then 'function' when 'p' then 'procedure' when 'a' then 'aggregate' else 'window function' end,
    false, null
  from place join pg_proc p on p.pronamespace = place.oid
  union all
  select 'pg_type'::regclass, t.oid, pg_get_userbyid(t.typowner)::text, t.typacl, null,
    case t.typtype when 'd' then 'domain' when 'e' then 'enum' when 'r' then 'range type' when 'm' then 'multirange type'
      when 'c' then case c.relkind when 'c' then 'composite type' else 'row type' end else 'base type' end,
    t.typtype = 'c' and c.relkind <> 'c', null
  from place join pg_type t on t.typnamespace = place.oid left join pg_class c on c.oid = t.typrelid
  where not exists (select from pg_type element where element.typarray = t.oid)
    and (t.typtype <> 'c' or c.relkind = 'c' or (t.typacl is not null and not ${isMember(`'pg_class'::regclass`, 'c.oid')}))
    and (t.typtype <> 'm' or current_setting('server_version_num')::int < 170000)
  ${plainKinds
    .map(
      ([catalog, kind, prefix]) => `union all
  select '${catalog}'::regclass, x.oid, pg_get_userbyid(x.${prefix}owner)::text, null, null, '${kind}', false, null
  from place join ${catalog} x on x.${prefix}namespace = place.oid`,
    )
    .join('\n  ')}
) o
where not ${isMember('o.catalog', 'o.oid')}`;
