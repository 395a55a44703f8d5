import ICAL from 'ical.js';
import type { FeedClocks, FeedTime } from './feed-clocks.ts';
import type { Property } from './parse-calendar.ts';
import type { PeopleOfEvents } from './people-of-event.ts';

const dayMs = 86_400_000;

/** The length of an event: first by its clock, then in elapsed time. */
interface Length {
  readonly localMs: number;
  readonly exactMs: number;
}

/** A parsed VEVENT, reused for every occurrence. */
export interface FeedEvent {
  /** Undefined for an event without overrides. */
  readonly uid: string | undefined;
  /** Who is on support; no one if it is no shift. */
  readonly people: readonly string[];
  readonly isCanceled: boolean;
  readonly start: FeedTime;
  readonly length: Length;
  readonly rules: readonly Property[];
  /** Occurrences in addition to the rules, and occurrences of the rules that do not take place. */
  readonly added: readonly Property[];
  readonly excluded: readonly Property[];
  /** The occurrence of another event that this one replaces. */
  readonly replaces: Property | undefined;
}

export function readEvent(properties: readonly Property[], clocks: FeedClocks, people: PeopleOfEvents): FeedEvent {
  const first = new Map<string, Property>();
  for (const property of properties) if (!first.has(property.name)) first.set(property.name, property);
  const [begins, ends] = [first.get('DTSTART'), first.get('DTEND')];
  if (!begins) throw new Error('one of its events has no start');
  const start = clocks.readOne(begins);
  const isCanceled = first.get('STATUS')?.value === 'CANCELLED';
  return {
    uid: first.get('UID')?.value,
    people: isCanceled ? [] : people.read(properties),
    isCanceled,
    start,
    length: readLength(start, first.get('DURATION')?.value, ends && clocks.readOne(ends)),
    rules: first.has('RRULE') ? properties.filter(({ name }) => name === 'RRULE') : none,
    added: first.has('RDATE') ? properties.filter(({ name }) => name === 'RDATE') : none,
    excluded: first.has('EXDATE') ? properties.filter(({ name }) => name === 'EXDATE') : none,
    replaces: first.get('RECURRENCE-ID'),
  };
}

const none: readonly Property[] = [];

/** Returns the instant at which an occurrence of the event ends that starts at a local time. */
export function getEnd({ length }: FeedEvent, { localMs, clock }: FeedTime): number {
  return clock.toInstant(localMs + length.localMs) + length.exactMs;
}

/**
 * Reads the length of an event. A shift from 08:00 to 08:00 also ends at 08:00 when the clocks
 * change, as calendar apps show it. The elapsed time counts only when start and end use different
 * clocks.
 */
function readLength(start: FeedTime, duration: string | undefined, end: FeedTime | undefined): Length {
  if (duration !== undefined) {
    const { weeks, days, hours, minutes, seconds, isNegative } = ICAL.Duration.fromString(duration);
    if (isNegative) return { localMs: 0, exactMs: 0 };
    return { localMs: (weeks * 7 + days) * dayMs, exactMs: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
  }
  if (!end) return { localMs: start.isDate ? dayMs : 0, exactMs: 0 };
  if (end.clock.name === start.clock.name) return { localMs: end.localMs - start.localMs, exactMs: 0 };
  return { localMs: 0, exactMs: end.clock.toInstant(end.localMs) - start.clock.toInstant(start.localMs) };
}
