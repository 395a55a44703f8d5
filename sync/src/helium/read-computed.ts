/** Reads rows of which PostgreSQL may be unable to compute a column. */
import pg from 'pg';
import { isContentError, toRefusal } from './content-refusal.ts';
import type { Db, HeliumRow } from './helium-gateway.ts';

type Read = (ids: readonly string[]) => Promise<HeliumRow[]>;

interface Reads {
  readonly whole: Read;
  /** Without the columns that PostgreSQL computes, which are null then. */
  readonly stored: Read;
}

/**
 * Reads whole rows. When PostgreSQL refuses that, they are bisected until the rows that cause it
 * are found: these are read without what it computes, with what it raises. Throws what it would
 * raise without any row too, and any error after which the connection does not work.
 */
export async function readComputed(db: Db, ids: readonly string[], reads: Reads): Promise<HeliumRow[]> {
  const { rows, cause } = await tryRead(db, () => reads.whole(ids));
  if (!cause) return rows;
  const systemic = (await tryRead(db, () => reads.whole([]))).cause;
  if (systemic) throw systemic;
  return bisect(db, ids, { ...reads, cause });
}

async function bisect(
  db: Db,
  ids: readonly string[],
  { cause, ...reads }: Reads & { readonly cause: pg.DatabaseError },
): Promise<HeliumRow[]> {
  const { kind, reason, isTemporary } = toRefusal(cause);
  if (isTemporary) throw cause;
  if (ids.length === 1) {
    const unreadable = { kind, reason: `Helium cannot read the row: ${reason}.` };
    return (await reads.stored(ids)).map((row) => ({ ...row, unreadable }));
  }
  const middle = ids.length >> 1;
  const found: HeliumRow[] = [];
  for (const half of [ids.slice(0, middle), ids.slice(middle)]) {
    const tried = await tryRead(db, () => reads.whole(half));
    found.push(...(tried.cause ? await bisect(db, half, { ...reads, cause: tried.cause }) : tried.rows));
  }
  return found;
}

interface TriedRead {
  readonly rows: HeliumRow[];
  readonly cause?: pg.DatabaseError;
}

/** Leaves a transaction that accepts queries. A pool has a transaction of its own for each read. */
async function tryRead(db: Db, read: () => Promise<HeliumRow[]>): Promise<TriedRead> {
  const isInTransaction = !(db instanceof pg.Pool);
  if (isInTransaction) await db.query('savepoint helium_read');
  try {
    const rows = await read();
    if (isInTransaction) await db.query('release savepoint helium_read');
    return { rows };
  } catch (error) {
    if (!isContentError(error)) throw error;
    if (isInTransaction)
      await db.query('rollback to savepoint helium_read; release savepoint helium_read').catch(() => {
        throw error;
      });
    return { rows: [], cause: error };
  }
}
