/**
 * Keeps the files that a conflict overwrites, in the transaction that overwrites them. Where they
 * cannot be kept, nothing may be overwritten.
 */
import type { Db } from '../../../helium/helium-gateway.ts';
import type { HeliumBlob } from '../../../record/blob.ts';
import { isSameContent } from '../../../record/file-value.ts';
import type { Conflict } from '../../../record/merge.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import {
  dropFiles,
  type KeepResult,
  keepFile,
  keepRowFiles,
  linkFiles,
} from '../../../sync-state/conflict-files.store.ts';
import type { SavedConflicts } from '../../../sync-state/conflicts.store.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';

/** The files that lost a conflict of a record, by their numbers. */
export interface KeptLoser {
  readonly key: RecordKey;
  /** The column of the conflict. */
  readonly column: string | null;
  readonly numbers: readonly string[];
}

type KeptLosers = { readonly kept: readonly KeptLoser[] } | { readonly problem: string };

/** A record after its conflicts were decided, and before it is written. */
interface DecidedRecord {
  readonly key: RecordKey;
  readonly row: { readonly fields: Readonly<Record<string, unknown>> } | null;
  readonly rowAfter: { readonly fields: Readonly<Record<string, unknown>> } | null;
  readonly conflicts: readonly Conflict[];
}

/**
 * Keeps Helium's files that the merge replaces, empties or deletes, and Journey's that lost and
 * whose bytes are available. Call it while the row is locked, and before it is written.
 *
 * @param blobs Journey's files, by column
 */
export async function keepLosers(
  context: SyncContext,
  db: Db,
  record: DecidedRecord,
  blobs: ReadonlyMap<string, HeliumBlob> = new Map(),
): Promise<KeptLosers> {
  const { stateId, helium, keptFiles: limits } = context;
  const { key, conflicts } = record;
  const kept: KeptLoser[] = [];
  const keep = async (column: string | null, work: () => Promise<KeepResult>): Promise<string | null> => {
    const result = await work();
    if ('problem' in result) return result.problem;
    if (result.numbers.length > 0) kept.push({ key, column, numbers: result.numbers });
    return null;
  };
  // Of several conflicts of a column, the last one is with what the row has now.
  const lastConflicts = new Map(conflicts.map((conflict) => [conflict.column, conflict]));
  const works = [...lastConflicts.values()].flatMap((conflict) => {
    const { column } = conflict;
    // Both sides have the bytes: only their name loses, which the conflict lists.
    if (isSameContent(conflict.helium, conflict.journey)) return [];
    const columns = findOverwritten(context, record, conflict);
    if (columns !== undefined)
      return [() => keep(column, () => keepRowFiles(db, { stateId, schema: helium.schema, limits }, key, columns))];
    if (conflict.winner === 'journey' || conflict.journey === null) return [];
    return [...blobs]
      .filter(([name]) => column === null || column === name)
      .map(
        ([name, blob]) =>
          () =>
            keep(column, () => keepFile(db, { stateId, limits }, { column: name, side: 'journey' }, blob)),
      );
  });
  for (const work of works) {
    const problem = await work();
    if (problem === null) continue;
    await dropLosers(db, kept);
    return { problem };
  }
  return { kept };
}

/**
 * Returns the columns of Helium's row whose files are overwritten; null for all, undefined for
 * none.
 */
function findOverwritten(
  context: SyncContext,
  { key, row, rowAfter }: DecidedRecord,
  { column, helium, winner }: Conflict,
): readonly string[] | null | undefined {
  if (winner === 'helium' || helium === null || row === null) return undefined;
  if (column === null) return rowAfter === null ? null : undefined;
  const field = findObjectMap(context, key.table)?.fields.find((one) => one.column === column);
  const isChanged = rowAfter !== null && rowAfter.fields[column] !== row.fields[column];
  return field?.kind === 'blob' && isChanged ? [column] : undefined;
}

/** Assigns the kept files to the conflicts, once these are saved. */
export async function linkLosers(db: Db, kept: readonly KeptLoser[], saved: SavedConflicts): Promise<void> {
  for (const { key, column, numbers } of kept) await linkFiles(db, numbers, saved.getNumber(key, column));
}

/** Forgets files that were not overwritten after all. */
export async function dropLosers(db: Db, kept: readonly KeptLoser[]): Promise<void> {
  await dropFiles(
    db,
    kept.flatMap(({ numbers }) => numbers),
  );
}
