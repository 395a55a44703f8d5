/**
 * Asks Journey for records of which nothing is known, before a page is planned: if Journey has
 * them, a put would replace what only Journey has.
 *
 *   Journey has it, and its changes are read ─▶ the op-log loop merges it, then it is known
 *   Journey has it, and they are not read ────▶ found: Helium's differing values are sent
 *   Journey does not have it ─────────────────▶ found as absent: it is put
 */
import type { KeyMap } from '../../../record/record-key.ts';
import { findRecords } from '../../missing/find-records.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { expectsEcho, type SyncContext } from '../../state/context.ts';
import type { FoundRecord, RecordToLookUp, UnknownRecord } from '../../state/look-ups.ts';

/** @param found receives the results */
export async function lookUp(
  active: ActiveRun,
  context: SyncContext,
  unknown: readonly UnknownRecord[],
  { found, signal }: { readonly found: KeyMap<FoundRecord>; readonly signal: AbortSignal },
): Promise<void> {
  const records = await withDeletionTimes(active, context, unknown);
  const followed = records.filter(({ key }) => expectsEcho(context, key.table));
  if (followed.length > 0) {
    const merged = active.lookUps.add({ mapping: context.mapping, records: followed, found }, signal);
    active.toHelium.wake();
    await merged;
  }
  const others = records.filter(({ key }) => !expectsEcho(context, key.table));
  // An edit made after the deletion is not read, so Helium wins.
  for (const [key, result] of await findRecords(active, context, others, { policy: 'helium', signal }))
    found.set(key, result);
}

/** A deletion whose time is unknown counts from now. */
async function withDeletionTimes(
  { progress }: ActiveRun,
  { helium }: SyncContext,
  unknown: readonly UnknownRecord[],
): Promise<RecordToLookUp[]> {
  const withoutRow = unknown.filter(({ hasRow }) => !hasRow).map(({ key }) => key);
  const after = { cursor: progress.changeLogCursor, limit: null };
  const deletions = await helium.readDeletionTimes(helium.pool, withoutRow, after);
  return unknown.map((record) => {
    const deletion = deletions.get(record.key);
    return { ...record, deletedAtMs: deletion === undefined ? null : (deletion ?? Date.now()) };
  });
}
