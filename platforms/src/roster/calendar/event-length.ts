import type { EventProperties } from './event-properties.ts';
import { type FeedTime, type Length, parseDuration } from './feed-time.ts';
import { dayMs } from './rules/calendar-day.ts';
import { Unreadable } from './unreadable.ts';
import type { FeedClocks } from './zones/feed-clocks.ts';
import type { ZoneClock } from './zones/zone-clock.ts';

/**
 * Reads the length of an event; DTEND is more exact than a DURATION beside it. A day that ends on
 * itself is a whole day.
 */
export function readLength(
  start: FeedTime,
  { end: ends, duration: lasts }: EventProperties,
  clocks: FeedClocks,
): Length {
  if (ends) {
    const end = clocks.readTime(ends, ends.value);
    const isSameDay = start.isDate && end.isDate && end.localMs === start.localMs;
    const length = isSameDay ? wholeDay : toLength(start, end);
    if (length.localMs + length.exactMs < 0) throw new Unreadable('it ends before it starts');
    return length;
  }
  if (!lasts) return start.isDate ? wholeDay : { localMs: 0, exactMs: 0 };
  const length = parseDuration(lasts.value);
  if (!length) throw new Unreadable('DURATION is not valid');
  return length;
}

const wholeDay: Length = { localMs: dayMs, exactMs: 0 };

/**
 * Returns the length between two times. A shift from 08:00 to 08:00 also ends at 08:00 when the
 * clocks change, as calendar apps show it. The elapsed time counts only when start and end use
 * different clocks.
 */
export function toLength(start: FeedTime, end: FeedTime): Length {
  if (end.clock === start.clock) return { localMs: end.localMs - start.localMs, exactMs: 0 };
  return { localMs: 0, exactMs: end.clock.toInstant(end.localMs) - start.clock.toInstant(start.localMs) };
}

/** Returns the instant at which an occurrence ends that starts at a local time. */
export function getEnd(length: Length, clock: ZoneClock, localMs: number): number {
  return clock.toInstant(localMs + length.localMs) + length.exactMs;
}
