import { DateTime } from 'luxon';
import { readInstant, readSpreadsheetTime, readWallTime } from './shift-times.ts';

const dayMs = 24 * 3_600_000;

/**
 * "2026-11-23 08:00" in years that are plausible in every zone, or with an offset as in
 * "2026-11-23T08:00:00.000+02:00".
 */
const commonTime =
  /^(2(?:00[1-9]|0[1-9]\d|1\d\d)-\d\d-\d\d)[ T]((?:[01]\d|2[0-3]):[0-5]\d)(?:((?::[0-5]\d(?:\.000)?)?)(Z|[+-][01]\d:[0-5]\d))?$/;

/**
 * Returns a function that parses a time in the time zone with `readWallTime`, or else with
 * `readInstant` or `readSpreadsheetTime`. It calculates valid times in common formats itself, which
 * is much faster.
 */
export function createTimeReader(timeZone: string): (text: string) => Date | undefined {
  const offsets = new Map<string, number | null>();

  /**
   * Returns the offset from UTC in milliseconds that is valid all day, or null if there is none.
   */
  function findOffset(date: string): number | null {
    let offset = offsets.get(date);
    if (offset === undefined) {
      offset = calculateOffset(date, timeZone);
      offsets.set(date, offset);
    }
    return offset;
  }

  function readCommonTime(text: string): Date | undefined {
    const [, date, time, seconds, zone] = commonTime.exec(text) ?? [];
    if (date === undefined) return undefined;
    const offset = findOffset(date);
    if (offset === null) return undefined;
    return zone === undefined
      ? new Date(Date.parse(`${date}T${time}Z`) - offset)
      : new Date(`${date}T${time}${seconds}${zone}`);
  }

  return (text) =>
    readCommonTime(text) ?? readWallTime(text, timeZone) ?? readInstant(text) ?? readSpreadsheetTime(text, timeZone);
}

/** Returns null for a date that does not exist, and for days around a clock change. */
function calculateOffset(date: string, timeZone: string): number | null {
  const start = Date.parse(date);
  // The parser accepts 30 February as 2 March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== date) return null;
  const getOffset = (at: number) => DateTime.fromMillis(at, { zone: timeZone }).offset;
  const before = getOffset(start - dayMs);
  return before === getOffset(start + 2 * dayMs) ? before * 60_000 : null;
}
