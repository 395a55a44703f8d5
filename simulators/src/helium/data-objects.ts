import type { HeliumDataRecord } from '@portal/platforms/helium/wire';
import pg from 'pg';
import { TextError } from '../kit/plain-text-errors.ts';
import { inHeliumTransaction } from './helium-transaction.ts';
import type { AttributeType, ObjectDefinition } from './model.ts';
import { getAttributes, getLinkTableName, getTableName, toForeignKeyColumn } from './schema-ddl.ts';
import type { SimulatedApp } from './simulated-app.ts';

/** The user under which web services act. */
const webServiceUserId = '00000000-0000-0000-0000-000000000003';

/** Reads an object's rows up to the app's maximum, or the row with this id. */
export async function readObjects(
  app: SimulatedApp,
  object: ObjectDefinition,
  id?: string,
): Promise<HeliumDataRecord[]> {
  const attributes = Object.entries(getAttributes(object));
  const columns = attributes.map(([name, type], index) => `${outgoing(column(name), type)} as a${index}`);
  const relations = Object.keys(object.toOne).map((relation, index) => `${toForeignKeyColumn(relation)} as r${index}`);
  const { rows } = await app.pool.query<Record<string, unknown>>(
    `select ${['_id_ as uuid', ...columns, ...relations].join(', ')} from ${table(object)}
     where $1::uuid is null or _id_ = $1 order by _tstamp_, _id_ limit $2`,
    [id ?? null, app.maxDatabaseResults()],
  );
  return rows.map((row) => ({
    uuid: String(row.uuid),
    attributes: Object.fromEntries(attributes.map(([name], index) => [name, row[`a${index}`]])),
    relationships: {
      ...Object.fromEntries(
        Object.entries(object.toOne).flatMap(([relation, other], index) => {
          const key = row[`r${index}`];
          return typeof key === 'string' ? [[relation, `${other}/${key}`]] : [];
        }),
      ),
      ...Object.fromEntries(
        Object.keys(object.toMany).map((relation) => [relation, `${object.name}/${row.uuid}/${relation}`]),
      ),
    },
  }));
}

/**
 * Creates or updates a row and returns whether it was created; omitted attributes stay unchanged.
 */
export async function putObject(
  app: SimulatedApp,
  object: ObjectDefinition,
  id: string,
  attributes: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const known = getAttributes(object);
  const given = Object.entries(attributes).map(([name, value]) => {
    const type = known[name];
    if (type === undefined) throw new TextError(400, `${object.name} has no attribute ${name}.`);
    return { column: column(name), type, value };
  });
  const columns = ['_id_', '_tstamp_', ...given.map((one) => one.column)];
  const values = ['$1', `now() at time zone 'UTC'`, ...given.map(({ type }, index) => incoming(`$${index + 2}`, type))];
  const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  return inHeliumTransaction(app.pool, webServiceUserId, async (client) => {
    const { rows } = await client.query<{ created: boolean }>(
      `insert into ${table(object)} (${columns.join(', ')}) values (${values.join(', ')})
       on conflict (_id_) do update set ${updates.join(', ')} returning xmax = 0 as created`,
      [id, ...given.map(({ type, value }) => (type === 'json' && value !== null ? JSON.stringify(value) : value))],
    );
    return rows[0]?.created ?? false;
  });
}

export async function deleteObject(app: SimulatedApp, object: ObjectDefinition, id: string): Promise<boolean> {
  return inHeliumTransaction(app.pool, webServiceUserId, async (client) => {
    const { rowCount } = await client.query(`delete from ${table(object)} where _id_ = $1`, [id]);
    return rowCount === 1;
  });
}

/** Returns whether the object existed. */
export async function linkObjects(
  app: SimulatedApp,
  object: ObjectDefinition,
  relation: string,
  id: string,
  other: string,
): Promise<boolean> {
  return inHeliumTransaction(app.pool, webServiceUserId, async (client) => {
    if (relation in object.toOne) {
      const key = toForeignKeyColumn(relation);
      const { rowCount } = await client.query(`update ${table(object)} set ${key} = $2 where _id_ = $1`, [id, other]);
      return rowCount === 1;
    }
    const link = linkTable(object, relation);
    await client.query(`insert into ${link} (left_fk, right_fk) values ($1, $2) on conflict do nothing`, [id, other]);
    return true;
  });
}

/** Returns whether the objects were linked. Removing a many-to-many link is logged separately. */
export async function unlinkObjects(
  app: SimulatedApp,
  object: ObjectDefinition,
  relation: string,
  id: string,
  other: string,
): Promise<boolean> {
  return inHeliumTransaction(app.pool, webServiceUserId, async (client) => {
    if (relation in object.toOne) {
      const key = toForeignKeyColumn(relation);
      const { rowCount } = await client.query(
        `update ${table(object)} set ${key} = null where _id_ = $1 and ${key} = $2`,
        [id, other],
      );
      return rowCount === 1;
    }
    const { rowCount } = await client.query(
      `with ended as (delete from ${linkTable(object, relation)} where left_fk = $1 and right_fk = $2 returning left_fk, right_fk)
       insert into __he_sync_many_to_many_unlink__ (seq, relationship_name, left_uuid, right_uuid, tx_id)
       select nextval('__he_sync_change_seq__'), $3, left_fk, right_fk, txid_current() from ended`,
      [id, other, getLinkTableName(object.name, relation)],
    );
    return rowCount === 1;
  });
}

function linkTable(object: ObjectDefinition, relation: string): string {
  if (!(relation in object.toMany)) throw new TextError(404, `${object.name} has no relation ${relation}.`);
  return pg.escapeIdentifier(getLinkTableName(object.name, relation));
}

function table(object: ObjectDefinition): string {
  return pg.escapeIdentifier(getTableName(object.name));
}

function column(attribute: string): string {
  return pg.escapeIdentifier(attribute.toLowerCase());
}

function outgoing(name: string, type: AttributeType): string {
  if (type === 'date' || type === 'datetime') return `(extract(epoch from ${name}) * 1000)::float8`;
  if (type === 'blob') return `encode(${name}, 'base64')`;
  if (type === 'bigint' || type === 'decimal') return `${name}::float8`;
  return name;
}

function incoming(parameter: string, type: AttributeType): string {
  const instant = `(timestamp 'epoch' + ${parameter}::float8 * interval '1 millisecond')`;
  switch (type) {
    case 'date':
      return `${instant}::date`;
    case 'datetime':
      return instant;
    case 'blob':
      return `decode(${parameter}, 'base64')`;
    case 'json':
      return `${parameter}::jsonb`;
    default:
      return parameter;
  }
}
