/** Applies entries to Helium part by part, as their files are fetched, and tells what became of them. */
import type { JourneyEntry } from '../journey/journey-end.ts';
import { type Applied, carryToHelium, comesToHelium, type EntryPage } from './carry-to-helium.ts';
import { type EntriesWithFiles, fetchFiles } from './fetch-files.ts';
import type { IntegrationRun } from './integration-run.ts';
import { count } from './tell-carried.ts';

export async function carryEntries(
  on: IntegrationRun,
  entries: readonly JourneyEntry[],
  rest: Omit<EntryPage, 'entries' | 'blobs'>,
): Promise<Applied> {
  if (rest.isListing) on.hasListings = true;
  const total = { written: 0, echoes: 0, held: 0, released: 0, conflicts: 0 };
  const wanted = entries.filter(({ key }) => comesToHelium(on.pump, key));
  let { readBehind } = rest;
  let part: EntriesWithFiles | undefined;
  for await (const next of fetchFiles(on.pump, wanted)) {
    if (part) {
      // The cursor follows part by part, so that none is applied a second time after a crash.
      const opLogCursor = part.entries.at(-1)?.sequence;
      const where = readBehind === undefined || opLogCursor === undefined ? {} : { readBehind, opLogCursor };
      const { isListing = false } = rest;
      add(total, await carryPart(on, { ...part, ...where, isListing }));
      if (where.opLogCursor !== undefined) {
        readBehind = where.opLogCursor;
        // Should a later part fail, it is read on from here.
        on.at = { ...on.at, opLogCursor: where.opLogCursor };
      }
    }
    part = next;
  }
  const last = { ...rest, ...(readBehind !== undefined && { readBehind }) };
  add(total, await carryPart(on, { entries: [], blobs: new Map(), ...part, ...last }));
  if (total.held + total.released + total.conflicts > 0) on.countsMayDiffer = true;
  if (total.written > 0) {
    const told = [
      `${count(total.written, 'record')} written`,
      ...(total.held > 0 ? [`${total.held} held back`] : []),
      ...(total.conflicts > 0 ? [count(total.conflicts, 'conflict')] : []),
    ];
    on.run.log('INFO', `Journey → Helium: ${told.join(', ')}.`);
    on.carriedToHelium += total.written;
    on.run.publish({ journeyLastUpdatedMs: Date.now(), carriedToHelium: on.carriedToHelium });
  }
  on.toJourney.ring();
  return total;
}

function carryPart(on: IntegrationRun, page: EntryPage): Promise<Applied> {
  return on.run.slot(() => carryToHelium(on.pump, page));
}

function add(total: { -readonly [Name in keyof Applied]: number }, part: Applied): void {
  total.written += part.written;
  total.echoes += part.echoes;
  total.held += part.held;
  total.released += part.released;
  total.conflicts += part.conflicts;
}
