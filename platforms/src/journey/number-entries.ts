import type { JourneyOpLogEntry, JourneyOpLogResponse } from './wire.ts';

interface PageBounds {
  /** The lowest sequence that the page can have. */
  readonly start: string;
  /** The sequence after its last entry, where Journey states it. */
  readonly end: string | null;
}

/**
 * Gives each entry without a sequence one between its neighbors, where it was written: the log is
 * ordered, so the number after its predecessor's is free. The first and the last entry get those of
 * the page, which make the next page continue behind it.
 */
export function numberEntries(
  entries: JourneyOpLogResponse['entries'],
  { start, end }: PageBounds,
): JourneyOpLogEntry[] {
  let previous = BigInt(start) - 1n;
  return entries.map((entry, index) => {
    const isLast = index === entries.length - 1;
    const sequence = entry.sequence ?? String(isLast ? findLast(previous, end) : previous + 1n);
    previous = BigInt(sequence);
    return { ...entry, sequence };
  });
}

function findLast(previous: bigint, end: string | null): bigint {
  const last = end !== null && /^\d+$/.test(end) ? BigInt(end) - 1n : 0n;
  return last > previous ? last : previous + 1n;
}
