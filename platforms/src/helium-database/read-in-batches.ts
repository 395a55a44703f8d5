import pg from 'pg';
import { toUnreachable } from './connection-errors.ts';
import type { HeliumDatabase } from './database.ts';

/** Small enough to take only a few milliseconds of the caller's time. */
const maxRows = 500;
const maxCharacters = 200_000;

/** Receives rows as arrays of PostgreSQL's text, in the order of the columns. */
export type TakeRows = (rows: (string | null)[][]) => void | Promise<void>;

/**
 * Reads a large result through a cursor. While `take` works on a batch, the next one is read, and no
 * further one, so that no more than two are in memory. It uses one connection until then. Throws
 * `Unreachable` with the reason, or what `take` throws.
 */
export async function readInBatches(
  database: HeliumDatabase,
  { sql, values }: { readonly sql: string; readonly values: readonly unknown[] },
  take: TakeRows,
): Promise<void> {
  try {
    await database.transaction({ readOnly: true }, async (transaction) => {
      await transaction.queryText(`declare result no scroll cursor for ${sql}`, values);
      let limit = maxRows / 10;
      let rows = await transaction.queryText(`fetch ${limit} from result`);
      while (rows.length === limit) {
        const charactersPerRow = rows.flat().reduce((sum, text) => sum + (text?.length ?? 0), 0) / rows.length;
        limit = Math.max(1, Math.min(maxRows, Math.floor(maxCharacters / charactersPerRow)));
        const [next] = await Promise.all([transaction.queryText(`fetch ${limit} from result`), take(rows)]);
        rows = next;
      }
      await take(rows);
    });
  } catch (error) {
    throw error instanceof pg.DatabaseError ? toUnreachable(database.name, error) : error;
  }
}
