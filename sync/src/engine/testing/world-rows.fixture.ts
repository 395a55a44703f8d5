/** Reads the content of both sides in the same form, for tests to compare. */
import type { DeploymentHandle } from '@portal/simulators/journey/simulator';
import { z } from 'zod';
import { type HeliumFixture, schema, type TestTables } from '../../helium/helium-gateway.fixture.ts';
import type { Fields } from '../../record/fields.ts';

/**
 * The intents that are under way, to select from. Others changed nothing, or were replaced by a
 * later intent of the same record. They are only stored to explain an echo.
 */
export const intentsUnderWay = `(
  select i.* from __portal_sync__.intent i left join __portal_sync__.record r using (state_id, table_name, id)
  cross join lateral (
    select coalesce(bool_or(l.method <> 'patch'), false) as is_replaced, array_agg(c) filter (where c is not null) as columns
    from __portal_sync__.intent l left join lateral json_object_keys(l.fields) c on true
    where l.state_id = i.state_id and l.table_name = i.table_name and l.id = i.id and l.number > i.number and not l.is_superseded
  ) later
  where not i.is_superseded and not later.is_replaced
    and case i.method when 'delete' then r.journey is not null
      else coalesce(not r.journey::jsonb @> (i.fields::jsonb - coalesce(later.columns, '{}')), true) end
) i`;

/** Returns all rows, by table and id. */
export async function readHeliumRows(helium: HeliumFixture, tables: TestTables): Promise<Record<string, Fields>> {
  const found: Record<string, Fields> = {};
  for (const table of Object.keys(tables)) {
    const { rows } = await helium.pool.query(
      `select to_jsonb(t) - '{_id_,_tstamp_,_tx_id_,_change_type_,_change_seq_}'::text[] as fields, _id_ as id from ${schema}.${table} t`,
    );
    for (const { id, fields } of rows) {
      if (typeof fields.seen_at === 'string') fields.seen_at = `${fields.seen_at.slice(0, 19)}Z`;
      found[`${table}/${id}`] = fields;
    }
  }
  return found;
}

/** Returns all objects, by table and id, in Helium's columns. */
export async function readJourneyRows(
  deployment: DeploymentHandle,
  tables: TestTables,
): Promise<Record<string, Fields>> {
  const found: Record<string, Fields> = {};
  for (const [table, columns] of Object.entries(tables)) {
    for (let skip = 0; ; skip += 1000) {
      const response = await fetch(`${deployment.url}/objects/${table}.json?limit=1000&skip=${skip}&sort[id]=asc`, {
        headers: { authorization: `Basic ${btoa(`${deployment.userName}:${deployment.password}`)}` },
      });
      const { objects, more: hasMore } = z
        .object({ objects: z.array(z.record(z.string(), z.any())), more: z.boolean() })
        .parse(await response.json());
      for (const object of objects) {
        const fields: Record<string, Fields[string]> = {};
        for (const column of columns) {
          const [name = ''] = column.replaceAll('"', '').split(' ');
          const value = object[name.replace(/_fk$/, '_id')] ?? null;
          fields[name] = typeof value === 'object' && value !== null ? value.key : value;
        }
        found[`${table}/${object.id}`] = fields;
      }
      if (!hasMore) break;
    }
  }
  return found;
}
