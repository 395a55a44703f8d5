/**
 * Deletes rows of the state through functions of its owner, which delete no other app's rows: the
 * login of an app has no DELETE, because who has it may also lock the whole table.
 */
import type { Db } from './helium-gateway.ts';

/**
 * Returns a statement, or the end of one, that deletes rows and returns how many as `removed`. The
 * function does not check again what was selected. So where others may change the rows, select
 * them `for update`. It is not called for nothing: a new connection has to compile it.
 *
 * @param addresses selects each row's `ctid`
 */
export function removeRowsSql(table: string, addresses: string): string {
  return `select case when found = '{}' then 0 else __portal_sync__.remove_${table}(found) end as removed
    from (select array(${addresses}) as found offset 0) addresses`;
}

/** Runs such a statement, and returns how many rows it has deleted. */
export async function removeRows(db: Db, table: string, addresses: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ removed: number }>(removeRowsSql(table, addresses), values);
  return rows[0]?.removed ?? 0;
}
