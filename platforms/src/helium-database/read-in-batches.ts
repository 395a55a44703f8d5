import pg from 'pg';
import { toUnreachable } from './connection-errors.ts';
import type { HeliumDatabase } from './database.ts';

/** Small enough to take only a few milliseconds of the caller's time. */
const maxRows = 500;
const maxCharacters = 200_000;

/** Receives rows as arrays of PostgreSQL's text, in the order of the columns. */
export type TakeRows = (rows: (string | null)[][]) => void | Promise<void>;

/**
 * Reads a large result through a cursor and reads on only when `take` is done with a batch, so that
 * no more than one batch is in memory. It uses one connection until then. Throws `Unreachable` with
 * the reason, or what `take` throws.
 */
export async function readInBatches(
  database: HeliumDatabase,
  { sql, values }: { readonly sql: string; readonly values: readonly unknown[] },
  take: TakeRows,
): Promise<void> {
  try {
    await database.transaction({ readOnly: true }, async (transaction) => {
      // With the default 4 MB, the server sorts the statistics of thousands of long statements on
      // disk, which takes twice as long.
      await transaction.query(`set local work_mem = '32MB'`);
      await transaction.queryText(`declare result no scroll cursor for ${sql}`, values);
      let limit = maxRows / 10;
      for (;;) {
        const rows = await transaction.queryText(`fetch ${limit} from result`);
        await take(rows);
        if (rows.length < limit) return;
        const charactersPerRow = rows.flat().reduce((sum, text) => sum + (text?.length ?? 0), 0) / rows.length;
        limit = Math.max(1, Math.min(maxRows, Math.floor(maxCharacters / charactersPerRow)));
      }
    });
  } catch (error) {
    throw error instanceof pg.DatabaseError ? toUnreachable(database.name, error) : error;
  }
}
