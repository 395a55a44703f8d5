/**
 * Converts local times to instants. Local times are milliseconds as if the local clock were UTC, so
 * a local day is always 86,400,000 ms.
 */
import ICAL from 'ical.js';
import { IANAZone } from 'luxon';

export interface ZoneClock {
  /** Clocks with the same name are the same clock. */
  readonly name: string;
  /**
   * A repeated local time means its first instant; a skipped one is read as if the clocks had not
   * changed yet (RFC 5545).
   */
  toInstant(localMs: number): number;
}

export const utcClock: ZoneClock = { name: 'UTC', toInstant: (localMs) => localMs };

const dayMs = 86_400_000;
/** Clocks change at full quarters of an hour. */
const slotMs = 15 * 60_000;
const maxSlots = 50_000;

/** Clocks are shared because each one caches its offsets. */
const clocks = new Map<string, ZoneClock>();
const maxClocks = 1_000;

/** Returns the clock of an IANA zone; undefined when the zone does not exist. */
export function zoneClock(name: string): ZoneClock | undefined {
  const known = clocks.get(name);
  if (known) return known;
  const clock = makeZoneClock(name);
  if (clocks.size === maxClocks) clocks.clear();
  if (clock) clocks.set(name, clock);
  return clock;
}

function makeZoneClock(name: string): ZoneClock | undefined {
  const zone = IANAZone.isValidZone(name) ? IANAZone.create(name) : undefined;
  if (zone === undefined) return undefined;
  const offsets = new Map<number, number>();
  const offsetAt = (instant: number): number => {
    const slot = Math.floor(instant / slotMs);
    let offset = offsets.get(slot);
    if (offset === undefined) {
      if (offsets.size > maxSlots) offsets.clear();
      offset = zone.offset(slot * slotMs) * 60_000;
      offsets.set(slot, offset);
    }
    return offset;
  };
  return {
    name,
    toInstant(localMs) {
      const before = offsetAt(localMs - dayMs);
      const after = offsetAt(localMs + dayMs);
      const early = localMs - before;
      if (before === after || offsetAt(early) === before) return early;
      const late = localMs - after;
      return offsetAt(late) === after ? late : early;
    },
  };
}

/** Returns the clock that a VTIMEZONE describes, for names that only the feed defines. */
export function describedClock(timezone: ICAL.Timezone): ZoneClock {
  return {
    name: `described ${timezone.tzid}`,
    toInstant: (localMs) => localMs - timezone.utcOffset(toIcalTime(localMs)) * 1000,
  };
}

export function toLocalMs({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns a time without a zone. */
export function toIcalTime(localMs: number): ICAL.Time {
  return ICAL.Time.fromDateTimeString(new Date(localMs).toISOString().slice(0, 19));
}
