import type { FeedTime } from './feed-time.ts';
import { dayMs, modulo } from './rules/calendar-day.ts';
import { utcClock } from './zones/zone-clock.ts';

/**
 * Converts the time of an added, excluded or replaced occurrence to the clock of the event's start.
 * A date alone means the event's occurrence on that day. Where the event has whole days, the date
 * counts as it is written, unless a time in UTC is midnight of the event's zone.
 */
export function toSeriesTime({ localMs, clock, isDate }: FeedTime, start: FeedTime): number {
  if (start.isDate) {
    const local = clock === utcClock ? start.clock.toLocal(localMs) : localMs;
    return modulo(local, dayMs) === 0 ? local : Math.floor(localMs / dayMs) * dayMs;
  }
  if (isDate) return localMs + modulo(start.localMs, dayMs);
  return clock === start.clock ? localMs : start.clock.toLocal(clock.toInstant(localMs));
}
