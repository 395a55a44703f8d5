/** Reads what both sides changed, with the values of both. */
import type { Db } from '../../../helium/helium-gateway.ts';
import type { SyncContext } from '../../state/context.ts';
import type { RecordConflict } from '../../state/save-conflicts.ts';
import type { MergedEntry } from './merged-entry.ts';

/**
 * Returns the conflicts of a page. Call it before the page is written: of a row that may be
 * deleted, the columns that are not mapped are read too.
 */
export async function readConflicts(
  { helium }: Pick<SyncContext, 'helium'>,
  db: Db,
  merged: readonly MergedEntry[],
): Promise<RecordConflict[]> {
  const conflicts = merged.flatMap(({ key, conflicts }) => conflicts.map((conflict) => ({ key, conflict })));
  const ofRows = conflicts.filter(({ conflict: { column, helium } }) => column === null && helium !== null);
  const wholeRows = new Map<string, ReadonlyMap<string, object>>();
  for (const { key } of ofRows) {
    const { table } = key;
    if (wholeRows.has(table)) continue;
    const ids = ofRows.filter(({ key }) => key.table === table).map(({ key }) => key.id);
    wholeRows.set(table, await helium.readWholeRows(db, table, ids));
  }
  return conflicts.map(({ key, conflict }) => {
    const { column, helium } = conflict;
    if (column !== null || typeof helium !== 'object' || helium === null) return { key, conflict };
    return { key, conflict: { ...conflict, helium: { ...wholeRows.get(key.table)?.get(key.id), ...helium } } };
  });
}
