import ICAL from 'ical.js';
import {
  type CalendarPart,
  findProperties,
  findProperty,
  type Property,
  parameterOf,
  textOf,
} from './calendar-parts.ts';
import type { FeedClocks, FeedTime } from './feed-clocks.ts';

const dayMs = 86_400_000;

/** How much later something ends: first on the clock it begins by, then in time that passes. */
interface Length {
  readonly wallMs: number;
  readonly exactMs: number;
}

/** A VEVENT, read once: of one that recurs the same is asked for each turn. */
export interface FeedEvent {
  /** Undefined for one that stands alone. */
  readonly uid: string | undefined;
  readonly name: string;
  readonly isCancelled: boolean;
  readonly start: FeedTime;
  readonly length: Length;
  readonly rules: readonly Property[];
  /** Turns beside those of the rules, and turns of theirs that do not take place. */
  readonly added: readonly Property[];
  readonly leftOut: readonly Property[];
  /** The turn of another event that this one stands in for. */
  readonly replaces: Property | undefined;
}

export function readEvent(part: CalendarPart, clocks: FeedClocks): FeedEvent {
  const start = clocks.readFirst(findProperty(part, 'dtstart'));
  if (!start) throw new Error('an event in it has no start');
  return {
    uid: textOf(findProperty(part, 'uid')),
    name: nameOf(textOf(findProperty(part, 'summary')), parameterOf(findProperty(part, 'attendee'), 'cn')),
    isCancelled: textOf(findProperty(part, 'status')) === 'CANCELLED',
    start,
    length: lengthOf(start, textOf(findProperty(part, 'duration')), clocks.readFirst(findProperty(part, 'dtend'))),
    rules: findProperties(part, 'rrule'),
    added: findProperties(part, 'rdate'),
    leftOut: findProperties(part, 'exdate'),
    replaces: findProperty(part, 'recurrence-id'),
  };
}

/** The instant at which a turn ends that begins at a time of the clock, by that event. */
export function endOf({ length }: FeedEvent, { wallMs, clock }: FeedTime): number {
  return clock.toInstant(wallMs + length.wallMs) + length.exactMs;
}

/**
 * A turn that is written from 08:00 to 08:00 ends at 08:00 also in a week in which the clocks change, as calendars show
 * it; only where its ends are told by different clocks does its length count.
 */
function lengthOf(start: FeedTime, duration: string | undefined, end: FeedTime | undefined): Length {
  if (duration !== undefined) {
    const { weeks, days, hours, minutes, seconds, isNegative } = ICAL.Duration.fromString(duration);
    if (isNegative) return { wallMs: 0, exactMs: 0 };
    return { wallMs: (weeks * 7 + days) * dayMs, exactMs: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
  }
  if (!end) return { wallMs: start.isDate ? dayMs : 0, exactMs: 0 };
  if (end.clock.name === start.clock.name) return { wallMs: end.wallMs - start.wallMs, exactMs: 0 };
  return { wallMs: 0, exactMs: end.clock.toInstant(end.wallMs) - start.clock.toInstant(start.wallMs) };
}

/** Its summary; where that is empty, the one who is invited. */
function nameOf(summary = '', invited = ''): string {
  const name = summary.trim() || invited.trim();
  return name.replace(/\s+/g, ' ').slice(0, 200) || 'Nobody named';
}
