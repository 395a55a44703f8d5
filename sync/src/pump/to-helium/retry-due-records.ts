/** Journey → Helium: records that were held back, tried again. */

import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { readDue, readHeld } from '../../sync-state/held-records.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { namesBlob } from '../shared/names-blob.ts';
import { pageSize } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { unreadable } from './record-outcomes.ts';
import { refreshRecord } from './refresh-record.ts';

/**
 * Records that waited for what has come, or that somebody wants tried again. Returns whether there
 * were any.
 */
export async function retryDueRecords(active: ActiveRun): Promise<boolean> {
  const { context } = active;
  const tables = context.mapping.objects.filter(({ toHelium }) => toHelium).map(({ table }) => table);
  const due = await readDue(context.helium.pool, context.stateId, 'journey-to-helium', { tables, limit: pageSize });
  if (due.length === 0) return false;
  const held = (await readHeld(context.helium.pool, context.stateId, due))['journey-to-helium'];
  const records = await readRecords(context.helium.pool, context.stateId, due);
  const isUnread = (key: RecordKey) =>
    held.get(key)?.kind === unreadable || namesBlob(context, key, records.of(key).journey ?? {});
  const known = due.filter((key) => !isUnread(key));
  const entries = known.map((key): JourneyEntry => {
    const { journey, listedAtMs } = records.of(key);
    // Older than what was listed it would be passed over, and be due for ever.
    const changedAtMs = Math.max(held.get(key)?.changedAtMs ?? 0, listedAtMs ?? 0);
    return { sequence: '0', key, operation: journey === null ? 'delete' : 'update', fields: journey, changedAtMs };
  });
  if (entries.length > 0) await applyEntries(active, entries, {});
  // What could not be read as a row was not remembered either, and of files only what they hold.
  // What is to be read again stays due.
  for (const key of due.filter(isUnread)) await refreshRecord(active, key);
  active.tally.requestRecount();
  return true;
}
