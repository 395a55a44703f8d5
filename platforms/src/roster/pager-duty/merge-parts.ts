import type { PartReading } from './pager-duty-schedule.ts';
import type { Entry } from './wire.ts';

/** A shift with its end. */
export interface MergedEntry extends Entry {
  readonly end: Date;
}

/**
 * Merges what was read for parts of time, most recently read first. PagerDuty repeats a shift in
 * each part that it overlaps, so shifts are merged by person and start. A shift that overlaps a
 * part which was read later, and is not in it, has been changed since. A shift without an end lasts
 * until the end of the last part that has it.
 */
export function mergeParts(parts: readonly PartReading[]): MergedEntry[] {
  const merged = new Map<string, { readonly entry: Entry; readonly lastPart: PartReading }>();
  const later: PartReading[] = [];
  for (const part of parts) {
    for (const entry of part.entries) {
      const key = `${entry.start.getTime()} ${entry.personId}`;
      const known = merged.get(key);
      const end = entry.end ?? part.to;
      if (known) merged.set(key, { ...known, lastPart: part.to > known.lastPart.to ? part : known.lastPart });
      else if (!later.some(({ from, to }) => entry.start < to && end > from))
        merged.set(key, { entry, lastPart: part });
    }
    later.push(part);
  }
  return [...merged.values()].map(({ entry, lastPart }) => ({ ...entry, end: entry.end ?? lastPart.to }));
}
