/**
 * Converts local times to instants. Local times are milliseconds as if the local clock were UTC, so
 * a local day is always 86,400,000 ms.
 */
import { IANAZone } from 'luxon';

export interface ZoneClock {
  /**
   * A repeated local time means its first instant; a skipped one is read as if the clocks had not
   * changed yet (RFC 5545, 3.3.5).
   */
  toInstant(localMs: number): number;
  toLocal(instant: number): number;
}

const dayMs = 86_400_000;
/** Clocks change at full quarters of an hour. */
const slotMs = 15 * 60_000;
const maxSlots = 50_000;

export const utcClock = createFixedClock(0);

/** Clocks are shared because each one caches its offsets. */
const clocks = new Map<string, ZoneClock>();
const maxClocks = 1_000;

/** Returns the clock of an IANA zone; undefined when the zone does not exist. */
export function findZoneClock(name: string): ZoneClock | undefined {
  const known = clocks.get(name);
  if (known) return known;
  const zone = IANAZone.isValidZone(name) ? IANAZone.create(name) : undefined;
  if (zone === undefined) return undefined;
  if (clocks.size === maxClocks) clocks.clear();
  const offsets = new Map<number, number>();
  const clock = createClock((instant) => {
    const slot = Math.floor(instant / slotMs);
    let offset = offsets.get(slot);
    if (offset === undefined) {
      if (offsets.size > maxSlots) offsets.clear();
      offset = zone.offset(slot * slotMs) * 60_000;
      offsets.set(slot, offset);
    }
    return offset;
  });
  clocks.set(name, clock);
  return clock;
}

export function createFixedClock(offsetMs: number): ZoneClock {
  return { toInstant: (localMs) => localMs - offsetMs, toLocal: (instant) => instant + offsetMs };
}

/**
 * Creates a clock from its offset at each instant. Clocks do not change twice within two days, so
 * the offset of a whole local day is known from the days around it.
 */
export function createClock(getOffset: (instant: number) => number): ZoneClock {
  const offsetsOfDays = new Map<number, number | null>();
  /** Returns null for a day on which the clocks may change. */
  const findOffset = (day: number): number | null => {
    const known = offsetsOfDays.get(day);
    if (known !== undefined) return known;
    if (offsetsOfDays.size > maxSlots) offsetsOfDays.clear();
    const before = getOffset((day - 1) * dayMs);
    const offset = before === getOffset((day + 2) * dayMs) ? before : null;
    offsetsOfDays.set(day, offset);
    return offset;
  };
  return {
    toInstant(localMs) {
      const offset = findOffset(Math.floor(localMs / dayMs));
      if (offset !== null) return localMs - offset;
      const before = getOffset(localMs - dayMs);
      const early = localMs - before;
      if (getOffset(early) === before) return early;
      const after = getOffset(localMs + dayMs);
      const late = localMs - after;
      return getOffset(late) === after ? late : early;
    },
    toLocal: (instant) => instant + getOffset(instant),
  };
}
