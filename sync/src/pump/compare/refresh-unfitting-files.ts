/**
 * Finds files in Helium that their field cannot hold, such as an error page in place of a photo: they
 * were stored from a wrong answer to a download.
 */
import { findContentProblem } from '@portal/platforms/journey/file-content';
import { type ObjectMap, toFileType } from '../../mapping/object-map.ts';
import { getValue, type Value } from '../../record/fields.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { deleteAttachments } from '../../sync-state/attachments.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';

/**
 * Downloads such files of these records again, and returns how many there are. Journey's file
 * replaces Helium's, because the known state of both sides is the wrong file.
 */
export async function refreshUnfittingFiles(
  { context, refreshQueue, toHelium, run }: ActiveRun,
  map: ObjectMap,
  keys: readonly RecordKey[],
): Promise<number> {
  const { helium, stateId } = context;
  const fields = new Map(map.fields.filter(({ kind }) => kind === 'blob').map((field) => [field.column, field]));
  if (fields.size === 0) return 0;
  const ids = keys.map(({ id }) => id);
  const unfitting = (await helium.readFileStarts(helium.pool, map, ids)).filter(({ column, start, mediaType }) => {
    const field = fields.get(column);
    return field && findContentProblem(toFileType(field), { bytes: start, mediaType }) !== undefined;
  });
  if (unfitting.length === 0) return 0;
  const unfittingIds = [...new Set(unfitting.map(({ id }) => id))];
  const rows = new Map((await helium.readRows(helium.pool, map, unfittingIds)).map((row) => [row.id, row.fields]));
  const hashes = unfitting.map(({ id, column }) => getValue(rows.get(id) ?? {}, column));
  await deleteAttachments(helium.pool, stateId, hashes.filter(isHash));
  const refreshed = refreshQueue.add(
    unfittingIds.map((id) => ({ table: map.table, id })),
    run.signal,
  );
  toHelium.wake();
  await refreshed;
  return unfitting.length;
}

function isHash(value: Value): value is string {
  return typeof value === 'string';
}
