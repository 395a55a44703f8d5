/**
 * Finds files in Helium that their field cannot hold, such as an error page in place of a photo,
 * and files that were cut off: they were stored from a wrong answer to a download.
 */
import { endsWithMark, findContentProblem } from '@portal/platforms/journey/file-content';
import { type ObjectMap, toFileType } from '../../mapping/object-map.ts';
import { getValue } from '../../record/fields.ts';
import { getFileHash } from '../../record/file-value.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { deleteAttachments, findWithoutEnd } from '../../sync-state/attachments.store.ts';
import type { ActiveRun } from '../run/active-run.ts';

/**
 * Downloads such files of these records again, and returns how many there are. Journey's file
 * replaces Helium's, because the known state of both sides is the wrong file. A file that Journey
 * itself has without its end is downloaded only once.
 */
export async function refreshUnfittingFiles(
  { context, refreshQueue, toHelium, run }: ActiveRun,
  map: ObjectMap,
  keys: readonly RecordKey[],
): Promise<number> {
  const { helium, stateId } = context;
  const fields = new Map(map.fields.filter(({ kind }) => kind === 'blob').map((field) => [field.column, field]));
  if (fields.size === 0) return 0;
  const stored = await helium.readFileParts(
    helium.pool,
    map,
    keys.map(({ id }) => id),
  );
  const suspects = stored.flatMap(({ id, column, ...parts }) => {
    const { start: bytes, mediaType } = parts;
    const isUnfitting = findContentProblem(toFileType(fields.get(column) ?? {}), { bytes, mediaType }) !== undefined;
    return isUnfitting || endsWithMark(parts) === false ? [{ id, column, isUnfitting }] : [];
  });
  if (suspects.length === 0) return 0;
  const ids = [...new Set(suspects.map(({ id }) => id))];
  const rows = new Map((await helium.readRows(helium.pool, map, ids)).map((row) => [row.id, row.fields]));
  const named = suspects.flatMap(({ id, column, isUnfitting }) => {
    const value = getValue(rows.get(id), column);
    return typeof value === 'string' ? [{ id, hash: getFileHash(value), isUnfitting }] : [];
  });
  const withoutEnd = await findWithoutEnd(
    helium.pool,
    stateId,
    named.map(({ hash }) => hash),
  );
  const wrong = named.filter(({ hash, isUnfitting }) => isUnfitting || !withoutEnd.has(hash));
  if (wrong.length === 0) return 0;
  await deleteAttachments(
    helium.pool,
    stateId,
    wrong.map(({ hash }) => hash),
  );
  const wrongIds = [...new Set(wrong.map(({ id }) => id))];
  const refreshed = refreshQueue.add(
    wrongIds.map((id) => ({ table: map.table, id })),
    run.signal,
  );
  toHelium.wake();
  await refreshed;
  return wrong.length;
}
