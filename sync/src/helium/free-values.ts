/** Gives rows values of a unique key that no other row has, for a moment within a transaction. */
import { toContentRefusal } from './content-refusal.ts';
import type { Db } from './helium-gateway.ts';
import { toWaiting } from './limit-waits.ts';
import { quote } from './sql-names.ts';
import { type KeyColumn, toRecords, type WantedRow } from './unique-keys.ts';

/** A column that a row gives up for a moment. */
export interface Vacated {
  readonly id: string;
  readonly column: KeyColumn;
}

/** How many different values a row can be given. */
export const maxFreeValues = 5;

/**
 * Returns whether PostgreSQL accepted the values. Otherwise the transaction must return to a
 * savepoint, and can try others.
 *
 * @param wanted the rows that are written next: none of their values is taken
 */
export async function vacate(
  db: Db,
  target: string,
  { vacated, wanted, attempt }: { vacated: readonly Vacated[]; wanted: readonly WantedRow[]; attempt: number },
): Promise<boolean> {
  const columns = new Map(vacated.map(({ column }) => [column.name, column]));
  try {
    for (const [name, column] of columns) {
      const value = toFreeValueSql(target, column, attempt);
      if (value === null) return false;
      const ids = vacated.filter((one) => one.column.name === name).map(({ id }) => id);
      await db.query(
        `with wanted as (select ${quote(name)} from pg_catalog.jsonb_populate_recordset(null::${target}, $2::jsonb))
         update ${target} there set ${quote(name)} = ${value} from unnest($1::uuid[]) with ordinality as row (_id_, number)
         where there._id_ = row._id_`,
        [ids, toRecords(wanted)],
      );
    }
    return true;
  } catch (error) {
    if (!(toContentRefusal(error) ?? toWaiting(error))) throw error;
    return false;
  }
}

/** Returns SQL for a value; null when there is none to try. Each attempt tries another one. */
function toFreeValueSql(
  target: string,
  { name, type, category, isNullable }: KeyColumn,
  attempt: number,
): string | null {
  const column = quote(name);
  const min = `least((select min(${column}) from ${target}), (select min(${column}) from wanted))`;
  const max = `greatest((select max(${column}) from ${target}), (select max(${column}) from wanted))`;
  const others: Readonly<Record<string, readonly string[]>> = {
    // Far away first: a value may exclude those next to it, also those that are written next.
    N: [`(${max} - ${min} + 1)`, 1].flatMap((step) => [
      `${min} - ${step} * row.number`,
      `${max} + ${step} * row.number`,
    ]),
    S: ['md5(row._id_::text || clock_timestamp()::text)', 'upper(md5(row._id_::text || clock_timestamp()::text))'],
    D: [`${min} - row.number * interval '1 day'`, `${max} + row.number * interval '1 day'`],
    R: [`'empty'`],
  };
  const values = [...(isNullable ? ['null'] : []), ...(others[category] ?? [])];
  const value = values[Math.min(attempt, values.length - 1)];
  return value === undefined ? null : `cast(${value} as ${type})`;
}
