/** Journey → Helium: holds the entries of a page that are no change of a record. */
import type { Db } from '../../../helium/helium-gateway.ts';
import type { UnreadableEntry } from '../../../journey/journey-gateway.ts';
import { opLogTable } from '../../../journey/unreadable-entries.ts';
import { KeyMap, keyText } from '../../../record/record-key.ts';
import { holdRecords, releaseRecords, unreadableEntryKind } from '../../../sync-state/held-records.store.ts';
import { requestComparison } from '../../../sync-state/operations.store.ts';
import type { SyncContext } from '../../state/context.ts';

/** Returns how many are held. Of several entries of an object, the last counts. */
export async function holdUnreadable(
  context: SyncContext,
  db: Db,
  entries: readonly UnreadableEntry[],
): Promise<number> {
  const lastByKey = new KeyMap<UnreadableEntry>();
  for (const entry of entries) lastByKey.set(entry.key, entry);
  const last = [...lastByKey.values()];
  const held = last.filter(({ isDeletion }) => !isDeletion);
  await holdRecords(
    db,
    context.stateId,
    'journey-to-helium',
    held.map(({ key, reason }) => ({
      key,
      state: 'dead',
      kind: unreadableEntryKind,
      reason,
      helium: null,
      journey: null,
    })),
  );
  // Nothing else would find what an entry that names no object has changed.
  if (held.some(({ key }) => key.table === opLogTable)) await requestComparison(db, context.stateId);
  const deleted = last.filter(({ isDeletion }) => isDeletion).map(({ key }) => key);
  await releaseRecords(db, context.stateId, 'journey-to-helium', deleted);
  for (const { key, reason } of held) context.log('SEVERE', `${keyText(key)} was rejected: ${reason}`);
  return held.length;
}
