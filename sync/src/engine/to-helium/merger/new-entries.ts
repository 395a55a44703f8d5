/** Leaves out the entries that a listing of their record was newer than. */
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { areFieldsEqual } from '../../../record/fields.ts';
import type { RecordFiles } from '../../../sync-state/waiting-files.store.ts';
import type { SyncContext } from '../../state/context.ts';
import type { RecordEntries } from './merged-entry.ts';
import { fillMissingColumns } from './unreported-fields.ts';

/**
 * Returns the record's op-log entries that say something new since its last listing. Older ones do
 * not, and of the same second all up to the last one that left what was listed.
 *
 * @param files those of the record that wait
 */
export function newEntries(
  context: Pick<SyncContext, 'mapping'>,
  { key, entries, known }: RecordEntries,
  files: RecordFiles = new Map(),
): readonly JourneyEntry[] {
  const { listedAtMs, journey } = known;
  if (listedAtMs === null) return entries;
  const isAsListed = (entry: JourneyEntry) =>
    entry.changedAtMs === listedAtMs &&
    areFieldsEqual(fillMissingColumns(context, key, journey, entry.fields), journey) &&
    hasSameFiles(entry, files);
  const later = entries.slice(entries.findLastIndex(isAsListed) + 1);
  return later.filter(({ changedAtMs }) => changedAtMs === null || changedAtMs >= listedAtMs);
}

/** Whether the files of an entry of which the content is not known are those that wait. */
function hasSameFiles({ fields, attachments = {} }: JourneyEntry, files: RecordFiles): boolean {
  const unknown = Object.entries(attachments).filter(([column]) => !Object.hasOwn(fields ?? {}, column));
  return unknown.length === files.size && unknown.every(([column, { id }]) => files.get(column)?.journeyId === id);
}
