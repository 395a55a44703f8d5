/** Applies entries to Helium part by part, as their files are fetched, and tells what became of them. */
import type { JourneyEntry } from '../../journey/journey-end.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { formatCount } from '../shared/format-count.ts';
import { type Applied, carryToHelium, comesToHelium, type EntryPage } from './apply-page.ts';
import { type EntriesWithFiles, fetchFiles } from './download-files.ts';

export async function carryEntries(
  active: ActiveRun,
  entries: readonly JourneyEntry[],
  rest: Omit<EntryPage, 'entries' | 'blobs'>,
): Promise<Applied> {
  if (rest.isListing) active.progress.rememberListings();
  const total = { written: 0, echoes: 0, held: 0, released: 0, conflicts: 0 };
  const wanted = entries.filter(({ key }) => comesToHelium(active.context, key));
  let { readBehind } = rest;
  let part: EntriesWithFiles | undefined;
  for await (const next of fetchFiles(active.context, wanted)) {
    if (part) {
      // The cursor follows part by part, so that none is applied a second time after a crash.
      const opLogCursor = part.entries.at(-1)?.sequence;
      const where = readBehind === undefined || opLogCursor === undefined ? {} : { readBehind, opLogCursor };
      const { isListing = false } = rest;
      add(total, await carryPart(active, { ...part, ...where, isListing }));
      if (where.opLogCursor !== undefined) {
        readBehind = where.opLogCursor;
        // Should a later part fail, it is read on from here.
        active.progress.moveOpLogTo(where.opLogCursor);
      }
    }
    part = next;
  }
  const last = { ...rest, ...(readBehind !== undefined && { readBehind }) };
  add(total, await carryPart(active, { entries: [], blobs: new Map(), ...part, ...last }));
  if (total.held + total.released + total.conflicts > 0) active.tally.requestRecount();
  if (total.written > 0) {
    const told = [
      `${formatCount(total.written, 'record')} written`,
      ...(total.held > 0 ? [`${total.held} held back`] : []),
      ...(total.conflicts > 0 ? [formatCount(total.conflicts, 'conflict')] : []),
    ];
    active.run.log('INFO', `Journey → Helium: ${told.join(', ')}.`);
    active.tally.addToHelium(total.written);
    active.run.publish({ journeyLastUpdatedMs: Date.now(), carriedToHelium: active.tally.writtenToHelium });
  }
  active.toJourney.wake();
  return total;
}

function carryPart(active: ActiveRun, page: EntryPage): Promise<Applied> {
  return active.run.slot(() => carryToHelium(active.context, page));
}

function add(total: { -readonly [Name in keyof Applied]: number }, part: Applied): void {
  total.written += part.written;
  total.echoes += part.echoes;
  total.held += part.held;
  total.released += part.released;
  total.conflicts += part.conflicts;
}
