import { namedQuery } from '@portal/kit/postgres/named-query';
import { Conflict } from '@portal/kit/problems';
import {
  hasTrackingSql,
  hidesRowsSql,
  isAppObjectSql,
  isDisabledSql,
  relationIdsSql,
} from '@portal/platforms/helium-database/helium-objects';
import type pg from 'pg';
import { z } from 'zod';
import type { HeliumCatalog, Table } from '../mapping/helium-catalog.ts';
import { changeLog, transactionLog } from './sql-names.ts';

/**
 * The digest covers the object id: a replaced table counts as a different one. All logins compute
 * the same digest; which rows are hidden depends on the login.
 *
 * @param schema an expression for the schema's name
 */
const tablesSql = (schema: string) => `
select c.relname as name, c.oid::text as oid, c.relnatts as width,
  case c.relkind when 'v' then 'view' when 'm' then 'materialized-view' else 'table' end as kind,
  c.relrowsecurity as "hasPolicies", c.relforcerowsecurity as "hasForcedPolicies", c.relowner::text as owner,
  ${hasTrackingSql('c')} as "isTracked",
  c.relkind in ('r', 'p') and not exists (
    select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attname = '_id_'
    where i.indrelid = c.oid and i.indkey::text = a.attnum::text and i.indisunique and not i.indisexclusion
      and i.indimmediate and i.indisvalid and i.indpred is null) as "lacksKey",
  ${hasTrackingSql('c', isDisabledSql)} as "hasDisabledTracking",
  coalesce((
    select json_agg(json_build_object(
      'name', a.attname,
      'attribute', a.attnum,
      'type', format_type(a.atttypid, a.atttypmod),
      'isNullable', not a.attnotnull,
      'hasDefault', a.attidentity = 'd' or a.atthasdef and attgenerated = '',
      'isComputed', a.attidentity = 'a' or attgenerated <> '',
      'added', case when a.atthasmissing
        then json_build_object('text', (a.attmissingval::text::text[])[1], 'txId', a.xmin::text) end,
      'references', f.parent,
      'onDelete', f.on_delete) order by a.attnum)
    from pg_attribute a
    left join lateral (
      select parent.relname as parent,
        case k.confdeltype when 'a' then 'no action' when 'r' then 'restrict' when 'c' then 'cascade'
          when 'n' then 'set null' else 'set default' end as on_delete
      from pg_constraint k
      join pg_class parent on parent.oid = k.confrelid and parent.relnamespace = c.relnamespace
      where k.contype = 'f' and k.conrelid = c.oid and k.conkey = array[a.attnum]
        -- Before PostgreSQL 18, all are enforced.
        and coalesce((to_jsonb(k)->>'conenforced')::boolean, true)
      order by k.oid limit 1) f on true
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns
from pg_class c
-- Until version 11, pg_attribute has no such column.
cross join (select ''::"char" as attgenerated) before_12
where c.oid in (${relationIdsSql(schema)})
  and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and ${isAppObjectSql('c.relname')}`;

/**
 * Selects the tables and their digest.
 *
 * @param schema an expression for the schema's name
 */
export const digestedCatalogSql = (schema: string) => `
select tables, encode(sha256(convert_to(tables::text, 'UTF8')), 'hex') as digest
from (select coalesce(json_agg(one order by one.name), '[]') as tables from (${tablesSql(schema)}) one) catalog
offset 0`;

/** Helium's logs that are something else than it creates. */
const unfitLogsSql = `
select c.relname::text as name, case when c.relkind in ('r', 'p') then 'hides rows with policies'
  when c.relkind = 'v' then 'is a view' when c.relkind = 'f' then 'is a foreign table' else 'is no table' end as problem
from pg_class c
where c.relnamespace = (select oid from pg_namespace where nspname = $1) and c.relname = any ($2::name[])
  and (c.relkind not in ('r', 'p') or ${hidesRowsSql('c')})`;

const hidingTablesSql = `
select c.relname as name from pg_class c
where c.oid in (${relationIdsSql('$1')}) and c.relkind in ('r', 'p') and c.relrowsecurity and ${hidesRowsSql('c')}`;

/** Returns the tables only when their digest differs from the given one. */
const catalogSql = `
select digest, case when digest is distinct from $2 then tables end as tables from (${digestedCatalogSql('$1')}) digested`;

/** What depends on the login. */
const hidingSql = `
select (select coalesce(json_agg(name order by name), '[]') from (${hidingTablesSql}) hiding) as hiding,
  (select coalesce(json_agg(unfit order by name), '[]') from (${unfitLogsSql}) unfit) as "unfitLogs"`;

const tableSchema = z.object({
  name: z.string(),
  oid: z.string(),
  width: z.number(),
  kind: z.enum(['table', 'view', 'materialized-view']),
  isTracked: z.boolean(),
  lacksKey: z.boolean(),
  hasDisabledTracking: z.boolean(),
  columns: z.array(
    z.object({
      name: z.string(),
      attribute: z.number(),
      type: z.string(),
      isNullable: z.boolean(),
      hasDefault: z.boolean(),
      isComputed: z.boolean(),
      added: z.nullable(z.object({ text: z.string(), txId: z.string() })),
      references: z.nullable(z.string()),
      onDelete: z.nullable(z.string()),
    }),
  ),
});

const catalogSchema = z.object({ digest: z.string(), tables: z.nullable(z.array(tableSchema)) });

const hidingSchema = z.object({
  /** The tables that hide rows from this login. */
  hiding: z.array(z.string()),
  unfitLogs: z.array(z.object({ name: z.string(), problem: z.string() })),
});

/**
 * Reads the catalog. Returns the same object while nothing has changed; the database then does not
 * send the tables again. Throws Conflict when something else is in the place of Helium's logs.
 */
export type ReadCatalog = () => Promise<HeliumCatalog>;

type Queried = Pick<pg.ClientBase, 'query'>;

/**
 * Creates a reader of the schema's catalog. Columns include the platform's own (`_id_`, `_tstamp_`,
 * …). A schema that does not exist has no tables. PostgreSQL takes ten times as long to plan the
 * main query on a new connection as to run it, so it runs on one that serves all apps.
 *
 * @param pool connects with the rights of the app
 * @param reading may read catalogs only
 */
export function createCatalogReader({
  pool,
  reading = pool,
  schema,
}: {
  readonly pool: Queried;
  readonly reading?: Queried;
  readonly schema: string;
}): ReadCatalog {
  let latest: { readonly digest: string; readonly hiding: string; readonly catalog: HeliumCatalog } | undefined;
  return async () => {
    const cached = latest;
    const { rows: visible } = await pool.query(hidingSql, [schema, [changeLog, transactionLog]]);
    const { hiding, unfitLogs } = hidingSchema.parse(visible[0]);
    for (const { name, problem } of unfitLogs)
      throw new Conflict(`${schema}.${name} ${problem}, which Helium does not create, so the sync does not read it.`);
    const { rows } = await reading.query(namedQuery('helium_catalog', catalogSql, [schema, cached?.digest ?? null]));
    const { digest, tables: changed } = catalogSchema.parse(rows[0]);
    const hidingNames = hiding.join();
    if (changed === null && cached?.hiding === hidingNames) return cached.catalog;
    const tables: readonly Table[] | undefined = changed ?? cached?.catalog.tables;
    if (!tables) throw new Error('The catalog query returned no tables, and none are cached.');
    const marked = tables.map((table) => ({ ...table, hidesRows: hiding.includes(table.name) }));
    latest = { digest, hiding: hidingNames, catalog: { schema, tables: marked } };
    return latest.catalog;
  };
}
