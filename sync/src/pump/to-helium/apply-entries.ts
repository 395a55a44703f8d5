/** Applies entries to Helium part by part, as their files are downloaded, and logs the result. */
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import { forgetAttachments } from '../../sync-state/attachments.store.ts';
import type { RunChange } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { formatCount } from '../shared/format-count.ts';
import { type Applied, applyPage, comesToHelium, type EntryPage } from './apply-page.ts';
import { downloadFiles } from './download-files.ts';

/**
 * Returns `read-again` when bytes are needed of a file that was known by its hash: its hash is
 * forgotten, so entries that are read again come with the file. Until then their cursor stays.
 */
export async function applyEntries(
  active: ActiveRun,
  entries: readonly JourneyEntry[],
  rest: Omit<EntryPage, 'entries' | 'blobs'>,
): Promise<Applied | 'read-again'> {
  if (rest.isListing) active.progress.rememberListings();
  const { context } = active;
  const total = { written: 0, echoes: 0, held: 0, released: 0, conflicts: 0 };
  const wanted = entries.filter(({ key }) => comesToHelium(context, key));
  const { readBehind: pageStart, isListing = false, ...pageEnd } = rest;
  let readBehind = pageStart;
  for await (const { part, isLast } of downloadFiles(context, wanted)) {
    // The cursor follows part by part, so that none is applied a second time after a crash.
    const where: RunChange = isLast ? pageEnd : partEnd(part.entries, readBehind);
    const page = { ...part, ...where, isListing, ...(readBehind !== undefined && { readBehind }) };
    const applied = await active.run.withSlot(() => applyPage(context, page));
    if ('missingFiles' in applied) {
      await forgetAttachments(context.helium.pool, context.stateId, applied.missingFiles);
      return 'read-again';
    }
    add(total, applied);
    if (where.opLogCursor !== undefined) {
      readBehind = where.opLogCursor;
      // Should a later part fail, it is read on from here.
      active.progress.moveOpLogTo(where.opLogCursor);
    }
  }
  if (total.held + total.released + total.conflicts > 0) active.tally.requestRecount();
  if (total.written > 0) {
    const facts = [
      `${formatCount(total.written, 'record')} written`,
      ...(total.held > 0 ? [`${total.held} held back`] : []),
      ...(total.conflicts > 0 ? [formatCount(total.conflicts, 'conflict')] : []),
    ];
    active.run.log('INFO', `Journey → Helium: ${facts.join(', ')}.`);
    active.tally.addToHelium(total.written);
    active.run.publish({ journeyLastUpdatedMs: Date.now(), syncedToHelium: active.tally.writtenToHelium });
  }
  active.toJourney.wake();
  return total;
}

/** Where the op-log was read to after a part that is not the last; a listing has no such place. */
function partEnd(entries: readonly JourneyEntry[], readBehind: string | undefined): RunChange {
  const opLogCursor = entries.at(-1)?.sequence;
  return readBehind === undefined || opLogCursor === undefined ? {} : { opLogCursor };
}

function add(total: { -readonly [Name in keyof Applied]: number }, part: Applied): void {
  total.written += part.written;
  total.echoes += part.echoes;
  total.held += part.held;
  total.released += part.released;
  total.conflicts += part.conflicts;
}
