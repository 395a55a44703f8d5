/** Applies entries to Helium part by part, as their files are downloaded, and logs the result. */
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { deleteAttachments } from '../../sync-state/attachments.store.ts';
import type { RunChange } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { formatCount } from '../shared/format-count.ts';
import { logSynced } from '../shared/log-synced.ts';
import { type ApplyResult, applyPage, type EntryPage, isSyncedToHelium } from './apply-page.ts';
import { downloadFiles } from './download-files.ts';

/**
 * Returns `read-again` when the bytes of a file are needed that was known by its hash only. Its
 * hash is deleted, so that the entries come with the file when they are read again. Until then the
 * cursor stays.
 */
export async function applyEntries(
  active: ActiveRun,
  entries: readonly JourneyEntry[],
  options: Omit<EntryPage, 'entries' | 'blobs'>,
): Promise<ApplyResult | 'read-again'> {
  if (options.isListing) active.progress.markListings();
  const { context } = active;
  const written: RecordKey[] = [];
  const total = { written, echoes: 0, held: 0, released: 0, conflicts: 0 };
  const syncedEntries = entries.filter(({ key }) => isSyncedToHelium(context, key));
  const { readBehind: pageStart, isListing = false, isAfter, ...pageEnd } = options;
  let readBehind = pageStart;
  for await (const { part, isLast } of downloadFiles(context, syncedEntries)) {
    // The cursor moves with each part, so that no part is applied again after a crash.
    const progressChange: RunChange = isLast ? pageEnd : getPartEnd(part.entries, readBehind);
    const page = {
      ...part,
      ...progressChange,
      isListing,
      ...(readBehind !== undefined && { readBehind }),
      ...(isAfter && { isAfter }),
    };
    const applied = await active.run.withSlot(() => applyPage(context, page));
    if ('missingFiles' in applied) {
      await deleteAttachments(context.helium.pool, context.stateId, applied.missingFiles);
      return 'read-again';
    }
    addResult(total, applied);
    if (progressChange.opLogCursor !== undefined) {
      readBehind = progressChange.opLogCursor;
      // If a later part fails, reading resumes from here.
      active.progress.moveOpLogTo(progressChange.opLogCursor);
      if (progressChange.opLogPoint) active.progress.setPoints({ opLogPoint: progressChange.opLogPoint });
    }
  }
  if (total.held + total.released + total.conflicts > 0) active.tally.requestRecount();
  if (written.length > 0) {
    const facts = [
      ...(total.held > 0 ? [`${total.held} held`] : []),
      ...(total.conflicts > 0 ? [formatCount(total.conflicts, 'conflict')] : []),
    ];
    logSynced(active.run, { direction: 'Journey → Helium', done: 'written', keys: written, facts });
    active.tally.addToHelium(written.length);
    active.run.publish({ journeyLastUpdatedMs: Date.now(), syncedToHelium: active.tally.writtenToHelium });
  }
  active.toJourney.wake();
  return total;
}

/** Returns the cursor after a part that is not the last. A listing has no cursor. */
function getPartEnd(entries: readonly JourneyEntry[], readBehind: string | undefined): RunChange {
  const last = entries.at(-1);
  if (readBehind === undefined || !last) return {};
  const { sequence, key, changedAtMs } = last;
  const opLogPoint = { sequence, id: key.id, updatedAtMs: changedAtMs ?? 0, provenAtMs: Date.now() };
  return { opLogCursor: sequence, opLogPoint };
}

type Total = { -readonly [Name in keyof ApplyResult]: ApplyResult[Name] } & { readonly written: RecordKey[] };

function addResult(total: Total, part: ApplyResult): void {
  total.written.push(...part.written);
  total.echoes += part.echoes;
  total.held += part.held;
  total.released += part.released;
  total.conflicts += part.conflicts;
}
