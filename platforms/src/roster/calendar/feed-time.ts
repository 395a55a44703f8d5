import { dayMs, getMonthLength, toDayNumber } from './rules/calendar-day.ts';
import type { ZoneClock } from './zones/zone-clock.ts';

/** A time in a feed: local time and the clock it belongs to. */
export interface FeedTime {
  readonly localMs: number;
  readonly clock: ZoneClock;
  /** A date without a time. */
  readonly isDate: boolean;
}

/** A date or date-time as it is written. */
export interface WrittenTime {
  readonly localMs: number;
  readonly isDate: boolean;
  readonly isUtc: boolean;
}

const timeShape = /^(\d{4})(\d\d)(\d\d)(?:T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)(Z?))?$/;

/** Returns undefined when the text is neither a date nor a date-time, or its day does not exist. */
export function parseTime(text: string): WrittenTime | undefined {
  const found = timeShape.exec(text) ?? timeShape.exec(text.trim().toUpperCase());
  if (!found) return undefined;
  const [, years, months, days, hours = '0', minutes = '0', seconds = '0', utc] = found;
  const [year, month, day] = [Number(years), Number(months), Number(days)];
  if (month === 0 || month > 12 || day === 0 || day > getMonthLength(year, month)) return undefined;
  const timeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  const localMs = toDayNumber(year, month, day) * dayMs + timeMs;
  return { localMs, isDate: found[4] === undefined, isUtc: utc === 'Z' };
}

const durationShape = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** A length of time: first days by the clock, then elapsed time. */
export interface Length {
  readonly localMs: number;
  readonly exactMs: number;
}

/** Returns undefined when the text is not a duration. A negative one has no length. */
export function parseDuration(text: string): Length | undefined {
  const [written, sign, ...numbers] = durationShape.exec(text.trim().toUpperCase()) ?? [];
  if (written === undefined || !/\d[A-Z]$/.test(written)) return undefined;
  if (sign === '-') return { localMs: 0, exactMs: 0 };
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers.map((digits = '0') => Number(digits));
  return { localMs: (weeks * 7 + days) * dayMs, exactMs: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}
