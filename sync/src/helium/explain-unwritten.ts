import { keptRowKind } from '@portal/contract/sync/records';
import type { Refusal } from './content-refusal.ts';
import type { Db } from './helium-gateway.ts';
import type { Waiting } from './limit-waits.ts';
import { qualified } from './sql-names.ts';
import type { WriteStep } from './write-steps.ts';

const toSwallowed = (reason: string, kind = 'swallowed'): Refusal => ({ status: 'refused', kind, reason });

/** What a BEFORE trigger that returns null does to each kind of statement. */
const swallowed = {
  insert: toSwallowed('Helium has not inserted the row, without an error: a trigger of the app cancels it.'),
  update: toSwallowed('Helium has not changed the row, without an error: a trigger of the app cancels the change.'),
  delete: toSwallowed(
    'Helium has kept the row, without an error: a trigger of the app cancels its deletion.',
    keptRowKind,
  ),
};

/**
 * Finds out why a statement that succeeded has not written some of its rows: whether each is there
 * shows if a trigger has swallowed the write. A deletion of a row that is gone is none of these.
 *
 * @param unwritten the rows that it has not written, with the reason otherwise
 */
export async function explainUnwritten(
  db: Db,
  schema: string,
  { kind, table, rows }: WriteStep,
  unwritten: Map<number, Refusal | Waiting>,
): Promise<Map<number, Refusal | Waiting>> {
  if (unwritten.size === 0) return unwritten;
  const ids = rows.flatMap(({ index, id }) => (unwritten.has(index) ? [id] : []));
  const { rows: found } = await db.query<{ id: string }>(
    `select _id_::text as id from ${qualified(schema, table)} where _id_ = any($1::uuid[])`,
    [ids],
  );
  const existing = new Set(found.map(({ id }) => id));
  const explained = new Map<number, Refusal | Waiting>();
  for (const { index, id } of rows) {
    const failure = unwritten.get(index);
    if (!failure) continue;
    const exists = existing.has(id);
    if (kind === 'delete' && !exists) continue;
    const isSwallowed = exists !== (kind === 'insert');
    explained.set(index, isSwallowed ? swallowed[kind === 'blob' ? 'update' : kind] : failure);
  }
  return explained;
}
