/** Reads a deployment's objects. */
import { objectNotFound } from './api-problem.ts';
import { type Condition, conditionSql, orderSql, type Sort } from './conditions.ts';
import type { Deployment } from './deployment.ts';
import { type Contents, isLowerCaseUuid } from './json.ts';
import type { Selection } from './list-query.ts';
import type { StoredObject } from './write-plan.ts';

interface Row {
  readonly id: string;
  readonly contents: Contents;
  readonly updated_at: string;
  readonly created: string;
}

export interface Page {
  readonly objects: readonly StoredObject[];
  /** The number of all matching objects; undefined when it was not requested. */
  readonly total: number | undefined;
  readonly more: boolean;
}

const natural: readonly Sort[] = [{ column: '$natural', descending: false }];

export async function listObjects(deployment: Deployment, type: string, selection: Selection): Promise<Page> {
  const { where, sort, limit, skip, withTotal } = selection;
  const values: unknown[] = [deployment.key, type];
  const condition = conditionSql(where, values);
  const order = orderSql(sort.length > 0 ? sort : natural);
  // Matches the order of the index.
  const ofType = (sort[0]?.column ?? '$natural') === '$natural' ? `type || ''` : 'type';
  const { rows } = await deployment.pool.query<Row>(
    `select id, contents, updated_at, created from object where deployment = $1 and ${ofType} = $2 and ${condition}
     order by ${order} limit $${values.push(limit + 1)} offset $${values.push(skip)}`,
    values,
  );
  return {
    objects: rows.slice(0, limit).map((row) => stored(type, row)),
    total: withTotal ? await countObjects(deployment, type, where) : undefined,
    more: rows.length > limit,
  };
}

export async function countObjects({ pool, key }: Deployment, type: string, where: Condition): Promise<number> {
  const values: unknown[] = [key, type];
  const condition = conditionSql(where, values);
  const { rows } = await pool.query<{ count: string }>(
    // By the index that is in the order of the table: a million rows are read one after another,
    // not here and there.
    `select count(*) from object where deployment = $1 and type || '' = $2 and ${condition}`,
    values,
  );
  return Number(rows[0]?.count);
}

/** Throws OBJECT_NOT_FOUND, also for an invalid id. */
export async function getObject({ pool, key }: Deployment, type: string, id: string): Promise<StoredObject> {
  const isId = isLowerCaseUuid(id);
  const { rows } = isId
    ? await pool.query<Row>(
        'select id, contents, updated_at, created from object where deployment = $1 and type = $2 and id = $3',
        [key, type, id],
      )
    : { rows: [] };
  const [row] = rows;
  if (row === undefined) throw objectNotFound(type, id);
  return stored(type, row);
}

function stored(type: string, { id, contents, updated_at, created }: Row): StoredObject {
  return { type, id, contents, updatedAt: Number(updated_at), created };
}
