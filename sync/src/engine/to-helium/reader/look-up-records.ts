/**
 * Journey → Helium: looks up records that Helium is about to send and of which nothing is known,
 * and merges those that both sides have. Only the op-log loop may call it.
 */
import { KeyMap } from '../../../record/record-key.ts';
import type { RunWith } from '../../run/parts.ts';
import { withLockedState } from '../../state/context.ts';
import { findRecords } from '../../state/find-records.ts';
import type { LookUp } from '../../state/look-ups.ts';
import { saveConflicts } from '../../state/save-conflicts.ts';
import { applyEntries } from '../apply-entries.ts';

/** A look-up for another mapping than the current one is left out: its page is planned again. */
export async function lookUpRecords(
  run: RunWith<'loops' | 'progress' | 'tally'>,
  { mapping, records, found }: LookUp,
): Promise<void> {
  const { context, progress } = run;
  if (context.mapping !== mapping) return;
  const results = await findRecords(context, records, { policy: context.policy, signal: run.signal });
  const withRow = new KeyMap<boolean>();
  for (const { key, hasRow } of records) withRow.set(key, hasRow);
  const mustMerge = ([key, { entry, deletion }]: (typeof results)[number]) =>
    entry !== null && (withRow.get(key) === true || deletion?.winner === 'journey');
  const merged = results.filter(mustMerge);
  const entries = merged.flatMap(([, { entry }]) => entry ?? []);
  const conflicts = merged.flatMap(([key, { deletion }]) =>
    deletion?.conflict ? [{ key, conflict: deletion.conflict }] : [],
  );
  if (entries.length > 0) await applyEntries(run, entries, { isListing: true });
  if (conflicts.length > 0) await withLockedState(context, (db) => saveConflicts(context, db, conflicts));
  // A record that is deleted now was listed too: its older entries say nothing new.
  progress.markListings();
  for (const [key, result] of results.filter((one) => !mustMerge(one))) found.set(key, result);
}
