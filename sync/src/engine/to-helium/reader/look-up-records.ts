/**
 * Journey → Helium: looks up records that Helium is about to send and of which nothing is known,
 * and merges those that both sides have. Only the op-log loop may call it.
 */
import { KeyMap } from '../../../record/record-key.ts';
import { findRecords } from '../../missing/find-records.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { withLockedState } from '../../state/context.ts';
import type { LookUp } from '../../state/look-ups.ts';
import { saveConflicts } from '../../state/save-conflicts.ts';
import { applyEntries } from '../writer/apply-entries.ts';

/** A look-up for another mapping than the current one is left out: its page is planned again. */
export async function lookUpRecords(active: ActiveRun, { mapping, records, found }: LookUp): Promise<void> {
  const { context, progress, run } = active;
  if (context.mapping !== mapping) return;
  const results = await findRecords(active, context, records, { policy: context.policy, signal: run.signal });
  const withRow = new KeyMap<boolean>();
  for (const { key, hasRow } of records) withRow.set(key, hasRow);
  const mustMerge = ([key, { entry, deletion }]: (typeof results)[number]) =>
    entry !== null && (withRow.get(key) === true || deletion?.winner === 'journey');
  const merged = results.filter(mustMerge);
  const entries = merged.flatMap(([, { entry }]) => entry ?? []);
  const conflicts = merged.flatMap(([key, { deletion }]) =>
    deletion?.conflict ? [{ key, conflict: deletion.conflict }] : [],
  );
  if (entries.length > 0) await applyEntries(active, entries, { isListing: true });
  if (conflicts.length > 0) await withLockedState(context, (db) => saveConflicts(context, db, conflicts));
  // A record that is deleted now was listed too: its older entries say nothing new.
  progress.markListings();
  for (const [key, result] of results.filter((one) => !mustMerge(one))) found.set(key, result);
}
