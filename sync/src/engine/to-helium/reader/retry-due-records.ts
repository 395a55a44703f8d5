/** Journey → Helium: retries held records. */

import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { opLogTable } from '../../../journey/unreadable-entries.ts';
import { createFields, type Fields } from '../../../record/fields.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import {
  readDue,
  readHeld,
  stopRetrying,
  unreadableEntryKind,
  unreadableKind,
} from '../../../sync-state/held-records.store.ts';
import { readRecords } from '../../../sync-state/records.store.ts';
import { type RecordFiles, readWaitingFiles } from '../../../sync-state/waiting-files.store.ts';
import { hasBlob } from '../../files/book/has-blob.ts';
import { hasFiles } from '../../files/book/has-files.ts';
import { settleAbsences } from '../../missing/absences.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { pageSize } from '../../state/context.ts';
import { applyEntries } from '../writer/apply-entries.ts';
import type { PageStep } from '../writer/ring-step.ts';
import { refreshRecord } from './refresh-record.ts';

/**
 * Retries records whose parents have arrived or whose retry was requested. Returns whether there
 * were any.
 */
export async function retryDueRecords(active: ActiveRun): Promise<boolean> {
  const { context } = active;
  const tables = [...context.mapping.objects.filter(({ toHelium }) => toHelium).map(({ table }) => table), opLogTable];
  const due = await readDue(context.helium.pool, context.stateId, 'journey-to-helium', { tables, limit: pageSize });
  if (due.length === 0) return false;
  if (due.length === pageSize) active.run.publish({ journeySyncStatus: 'Catching up' });
  await retryRecords(active, due);
  return true;
}

/**
 * Returns how many of them were written together. Those that must be read again follow one by one.
 *
 * @param step if they are a part of a ring
 */
export async function retryRecords(active: ActiveRun, all: readonly RecordKey[], step?: PageStep): Promise<number> {
  const { context } = active;
  const held = (await readHeld(context.helium.pool, context.stateId, all))['journey-to-helium'];
  const isEntry = (key: RecordKey) => held.get(key)?.kind === unreadableEntryKind;
  await stopRetrying(context.helium.pool, context.stateId, all.filter(isEntry));
  const due = all.filter((key) => !isEntry(key));
  const records = await readRecords(context.helium.pool, context.stateId, due);
  const isUnread = (key: RecordKey) =>
    held.get(key)?.kind === unreadableKind || hasBlob(context, key, records.get(key).journey ?? {});
  const known = due.filter((key) => !isUnread(key));
  const waiting = await readWaitingFiles(
    context.helium.pool,
    context.stateId,
    known.filter(({ table }) => hasFiles(context, table)),
  );
  const entries = known.map((key): JourneyEntry => {
    const { journey } = records.get(key);
    const changedAtMs = held.get(key)?.changedAtMs ?? null;
    const fields = journey && withoutWaiting(journey, waiting.get(key));
    return { sequence: '0', key, operation: journey === null ? 'delete' : 'update', fields, changedAtMs };
  });
  const applied = entries.length > 0 ? await applyEntries(active, entries, step ? { step } : {}) : null;
  // Unreadable values are not stored, and of files only the hashes are, so these are read again.
  // Records that must be read again stay due.
  const absentTables = new Set<string>();
  for (const key of due.filter(isUnread))
    if ((await refreshRecord(active, key)) === 'absent') absentTables.add(key.table);
  for (const table of absentTables) await settleAbsences(active, { side: 'journey', table });
  active.tally.requestRecount();
  return applied?.written.length ?? 0;
}

/** Returns the fields without those of files that wait: what is known of Journey lacks them. */
function withoutWaiting(fields: Fields, files: RecordFiles | undefined): Fields {
  const rest = Object.assign(createFields(), fields);
  for (const column of files?.keys() ?? []) delete rest[column];
  return rest;
}
