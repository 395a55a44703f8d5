/** Formats instants. Uses custom wording where `Intl` differs from the design. */

import { formatCount, formatUnit } from './numbers.ts';

export type TimestampMode = 'local' | 'utc' | 'none';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats an instant relative to now: "just now", "3 min ago", "in 37 h"; a date beyond a week. */
export function formatRelative(atMs: number, nowMs: number): string {
  if (Math.abs(atMs - nowMs) < 7 * dayMs) return formatDistance(atMs, nowMs);
  const { day, month, year } = getZoneParts(new Date(atMs));
  return `${day} ${month} ${year}`;
}

/**
 * Formats how far an instant is from now, also beyond one week: "in 11 days". A unit is used from
 * two of it on, because one day and a half is neither a day nor two.
 */
export function formatDistance(atMs: number, nowMs: number): string {
  const offsetMs = atMs - nowMs;
  const distanceMs = Math.abs(offsetMs);
  if (distanceMs < 45 * secondMs) return offsetMs > 5 * secondMs ? 'in under a minute' : 'just now';
  const minutes = Math.round(distanceMs / minuteMs);
  const hours = Math.round(distanceMs / hourMs);
  const text =
    minutes < 120
      ? formatUnit(Math.max(1, minutes), 'min')
      : hours < 48
        ? formatUnit(hours, 'h')
        : formatUnit(formatCount(Math.round(distanceMs / dayMs)), 'days');
  return offsetMs < 0 ? `${text} ago` : `in ${text}`;
}

/**
 * Formats an instant to the second, in the style of `formatInZone`: "Sat 21 Nov 2026, 07:37:01
 * UTC", or local time with its UTC offset.
 */
export function formatInstant(instant: Date, inUtc: boolean): string {
  const { weekday, day, month, year, ...time } = getZoneParts(instant, inUtc ? 'UTC' : undefined);
  const offset = inUtc ? 'UTC' : formatZoneOffset(instant);
  return `${weekday} ${day} ${month} ${year}, ${formatClock(time)} ${offset}`;
}

/** Returns an ISO 8601 string with milliseconds. In local time, ignore the trailing Z. */
function toIsoString(instant: Date, inUtc: boolean): string {
  return new Date(instant.getTime() - (inUtc ? 0 : instant.getTimezoneOffset() * minuteMs)).toISOString();
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

const formatByZone = new Map<string | undefined, Intl.DateTimeFormat>();

/**
 * Formats an instant in a time zone: "Mon 23 Nov, 08:00". Adds the year when it differs from that
 * of `now`.
 */
export function formatInZone(instant: Date, timeZone: string, now: Date): string {
  const { weekday, day, month, year, hour, minute } = getZoneParts(instant, timeZone);
  const yearText = year === getZoneParts(now, timeZone).year ? '' : ` ${year}`;
  return `${weekday} ${day} ${month}${yearText}, ${hour}:${minute}`;
}

/** Formats the time of day of an instant in a time zone: "08:00". */
export function formatTimeInZone(instant: Date, timeZone: string): string {
  const { hour, minute } = getZoneParts(instant, timeZone);
  return `${hour}:${minute}`;
}

type TimeParts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

function formatClock({ hour, minute, second }: TimeParts): string {
  return `${hour}:${minute}:${second}`;
}

/** Splits an instant into the parts of a local time; without a time zone, in the reader's own. */
export function getZoneParts(instant: Date, timeZone?: string): TimeParts {
  let format = formatByZone.get(timeZone);
  if (!format) {
    const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
    const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en', { timeZone, ...date, ...time });
    formatByZone.set(timeZone, format);
  }
  return Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
}

const offsetByZone = new Map<string | undefined, Intl.DateTimeFormat>();

/** Returns how far a time zone, or the reader's own, is ahead of UTC at an instant: "+02:00". */
export function formatZoneOffset(instant: Date, timeZone?: string): string {
  let format = offsetByZone.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    offsetByZone.set(timeZone, format);
  }
  const parts = format.formatToParts(instant);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  return name === 'GMT' ? '+00:00' : name.slice('GMT'.length);
}

/** Creates a formatter for 'YYYY-MM-DD HH:mm:ss' in a time zone. Reuse it for many instants. */
export function createZoneFormatter(timeZone: string): (instant: Date) => string {
  // The Swedish date format matches ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => format.format(instant);
}

const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const dayFormat = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** Formats '2026-11' as "November 2026". */
export function formatMonth(month: string): string {
  return monthFormat.format(new Date(`${month}-01T00:00:00Z`));
}

/** Formats '2026-11-24' as "Tuesday, November 24". */
export function formatDay(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`));
}

/** Formats the local time of day: "12:29:57", like all other times of the page. */
export function formatLocalTime(atMs: number): string {
  return formatClock(getZoneParts(new Date(atMs)));
}

/**
 * Formats the time of day with milliseconds, and the date when it differs from that of `nowMillis`.
 * Returns '' when timestamps are off.
 */
export function formatTimestamp(millis: number, mode: TimestampMode, nowMillis: number): string {
  if (mode === 'none') return '';
  const [day, time] = splitTimestamp(millis, mode);
  const [today] = splitTimestamp(nowMillis, mode);
  return day === today ? time : `${day} ${time}`;
}

/**
 * Formats date and time for tooltips, copied text and downloads. Returns '' when timestamps are
 * off.
 */
export function formatFullTimestamp(millis: number, mode: TimestampMode): string {
  return mode === 'none' ? '' : splitTimestamp(millis, mode).join(' ');
}

/**
 * Caches the last minute, because many lines share one and a download formats up to a million
 * lines.
 */
const lastMinute = { local: { start: Number.NaN, day: '', time: '' }, utc: { start: Number.NaN, day: '', time: '' } };

function splitTimestamp(millis: number, mode: 'local' | 'utc'): [day: string, time: string] {
  const cached = lastMinute[mode];
  if (!(millis >= cached.start && millis < cached.start + minuteMs)) {
    const start = new Date(Math.floor(millis / minuteMs) * minuteMs);
    if (Number.isNaN(start.getTime())) return ['', String(millis)];
    const text = toIsoString(start, mode === 'utc');
    Object.assign(cached, { start: start.getTime(), day: text.slice(0, -14), time: text.slice(-13, -7) });
  }
  const msInMinute = Math.trunc(millis - cached.start);
  const seconds = pad(Math.trunc(msInMinute / secondMs), 2);
  return [cached.day, `${cached.time}${seconds}.${pad(msInMinute % secondMs, 3)}${mode === 'utc' ? 'Z' : ''}`];
}
