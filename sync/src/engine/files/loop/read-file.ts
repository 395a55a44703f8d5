/** Reads the bytes of a waiting file, from Helium where it has them, or from Journey. */
import { endsWithMark, type FileType } from '@portal/platforms/journey/file-content';
import { toBlobValue } from '../../../journey/known-attachments.ts';
import { nameFile } from '../../../mapping/file-values.ts';
import { toFileType } from '../../../mapping/object-map.ts';
import type { HeliumBlob } from '../../../record/blob.ts';
import { findAttachment } from '../../../sync-state/attachments.store.ts';
import { readRecords } from '../../../sync-state/records.store.ts';
import { readFileBytes, type StoredFile } from '../../../sync-state/waiting-files.store.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';

/**
 * Returns `may-be-own` for a file that Helium may be sending at the moment: its id is known once
 * Journey answers. Throws a `JourneyProblem` when it cannot be downloaded.
 *
 * @param targets the fields that wait for it, at least one
 */
export async function readFile(
  context: SyncContext,
  journeyId: string,
  targets: readonly StoredFile[],
): Promise<HeliumBlob | 'may-be-own'> {
  const { helium, journey, signal, stateId } = context;
  for (const target of targets) {
    const stored = target.file.state === 'downloaded' ? await readFileBytes(helium.pool, stateId, target) : null;
    if (stored) return stored;
  }
  const copied = await copyFile(context, journeyId);
  if (copied) return copied;
  if (await mayBeOwn(context, targets)) return 'may-be-own';
  const target = targets.find(({ file }) => file.url !== null);
  const url = target?.file.url ?? '';
  return journey.fetchAttachment({ id: journeyId, url, type: getFileType(context, target) }, signal);
}

function getFileType(context: SyncContext, target: StoredFile | undefined): FileType {
  const fields = target && findObjectMap(context, target.key.table)?.fields;
  return toFileType(fields?.find(({ column }) => column === target?.column) ?? {});
}

/**
 * Returns the bytes if Helium still has them, such as those of a file that it sent itself. A file
 * that may be cut off is downloaded.
 */
async function copyFile(context: SyncContext, journeyId: string): Promise<HeliumBlob | null> {
  const { helium, stateId } = context;
  const known = await findAttachment(helium.pool, stateId, journeyId);
  const map = known && findObjectMap(context, known.key.table);
  const field = map?.fields.find(({ column }) => column === known?.column);
  if (!known || !map || !field) return null;
  const blob = await helium.readBlob(helium.pool, map, known.key.id, known.column);
  if (!blob || (lacksEnd(blob) && !known.lacksEnd)) return null;
  return nameFile(field, blob, toBlobValue(blob.bytes), known.value);
}

/** Only of a file that was not tried yet, because Journey's answer may be lost. */
async function mayBeOwn({ helium, stateId }: SyncContext, targets: readonly StoredFile[]): Promise<boolean> {
  const untried = targets.filter(({ file }) => file.attempts === 0);
  const keys = untried.map(({ key }) => key);
  const records = await readRecords(helium.pool, stateId, keys);
  return untried.some(({ key, column }) =>
    records.get(key).intents.some(({ stage, fields }) => stage === 'sent' && Object.hasOwn(fields, column)),
  );
}

/** Whether a file may be cut off, by the end mark of its format. */
export function lacksEnd({ bytes }: HeliumBlob): boolean {
  return endsWithMark({ start: bytes, end: bytes, size: bytes.length }) === false;
}
