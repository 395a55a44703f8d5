import { Unreachable } from '@portal/kit/problems';
import type { Db } from './helium-gateway.ts';
import { qualified } from './sql-names.ts';

/**
 * Throws Unreachable when policies may hide rows of a table from this login; the next run pauses
 * the table. Call it before a row that is not found counts as deleted: policies may have changed
 * since the catalog was read. In a transaction that has read the table they cannot change in
 * between, because of the table's lock.
 */
export async function requireVisible(db: Db, schema: string, table: string): Promise<void> {
  const { rows } = await db.query<{ isHiding: boolean }>('select row_security_active($1::regclass) as "isHiding"', [
    qualified(schema, table),
  ]);
  if (rows[0]?.isHiding)
    throw new Unreachable(
      `Policies may hide rows of ${table} from the portal's user, so none of them counts as deleted.`,
    );
}
