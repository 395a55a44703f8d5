import { getEnd } from './event-length.ts';
import type { FeedEvent } from './feed-event.ts';
import type { Occurrence } from './packed-shifts.ts';
import type { TimeRange } from './recurrence.ts';
import { Unreadable } from './unreadable.ts';

const maxOccurrences = 200_000;

/** Collects occurrences that overlap a range. */
export class OccurrenceList {
  readonly range: TimeRange;
  readonly #occurrences: Occurrence[] = [];

  constructor(range: TimeRange) {
    this.range = range;
  }

  get count(): number {
    return this.#occurrences.length;
  }

  /**
   * Adds an occurrence for each of its people, if the event takes place. Throws Unreadable if
   * there are too many.
   */
  add({ people, isCanceled, start, length: ownLength }: FeedEvent, localMs: number, length = ownLength): void {
    if (isCanceled) return;
    const from = start.clock.toInstant(localMs);
    const to = getEnd(length, start.clock, localMs);
    if (to <= from || !overlaps({ from, to }, this.range)) return;
    if (this.#occurrences.length + people.length > maxOccurrences)
      throw new Unreadable(`the calendar has more than ${maxOccurrences} events in that time`);
    for (const name of people) this.#occurrences.push({ name, from, to });
  }

  /** Removes all but the first ones. */
  truncate(count: number): void {
    this.#occurrences.length = count;
  }

  /** Lists for each range the occurrences that overlap it, by start and then name. */
  listByRange(ranges: readonly TimeRange[]): Occurrence[][] {
    const sorted = this.#occurrences.toSorted(byStartAndName);
    // All of them overlap the range of a single request.
    if (ranges.length === 1) return [sorted];
    return ranges.map((range) => sorted.filter((occurrence) => overlaps(occurrence, range)));
  }
}

function overlaps(occurrence: TimeRange, { from, to }: TimeRange): boolean {
  return occurrence.from < to && occurrence.to > from;
}

function byStartAndName(one: Occurrence, other: Occurrence): number {
  if (one.from !== other.from) return one.from - other.from;
  return one.name === other.name ? 0 : one.name.localeCompare(other.name);
}
