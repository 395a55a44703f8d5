/**
 * Numbers, durations and instants as people read them. What `Intl` would word differently is worded
 * here.
 */

export type TimestampMode = 'local' | 'utc' | 'none';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const counts = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const percents = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const days = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Thousands separated. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** "1 app", "2 apps". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** "812 B", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${threeDigits.format(bytes / 1024 ** power)} ${byteUnits[power] ?? 'B'}`;
}

/** 0.1234 is "12.3 %"; what is there is never shown as nothing. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.001 ? '< 0.1 %' : `${percents.format(share * 100)} %`;
}

/** A length of time as people say it: "850 ms", "1.2 s", "3 min", "2 h 5 min", "4 d 3 h". */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return '–';
  if (durationMs < 0) return `−${formatDuration(-durationMs)}`;
  if (durationMs < secondMs) return `${Math.round(durationMs)} ms`;
  if (durationMs < 9950) return `${(durationMs / secondMs).toFixed(1)} s`;
  if (durationMs < 59_500) return `${Math.round(durationMs / secondMs)} s`;
  const minutes = Math.round(durationMs / minuteMs);
  if (minutes < 10) return inTwo(Math.round(durationMs / secondMs), 60, 'min', 's');
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return inTwo(minutes, 60, 'h', 'min');
  return inTwo(Math.round(minutes / 60), 24, 'd', 'h');
}

function inTwo(count: number, per: number, large: string, small: string): string {
  const rest = count % per;
  return `${formatCount(Math.floor(count / per))} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** The exact value, for hover: "1,234 ms". */
export function formatExactMs(durationMs: number): string {
  return `${formatCount(durationMs)} ms`;
}

/** Milliseconds as seconds, three digits that count: "0.00123 s", "12.3 s", "1,235 s". */
export function formatSeconds(durationMs: number): string {
  const seconds = durationMs / secondMs;
  return `${seconds >= 1000 ? formatCount(Math.round(seconds)) : threeDigits.format(seconds)} s`;
}

/** "just now", "3 min ago", "in 2 h", "yesterday", and the date beyond a week. */
export function formatRelative(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  const size = Math.abs(awayMs);
  if (size < 45 * secondMs) return awayMs > 5 * secondMs ? 'in under a minute' : 'just now';
  if (size < 55 * minuteMs) return around(awayMs, minuteMs, 'min');
  if (size < 22 * hourMs) return around(awayMs, hourMs, 'h');
  if (size < 7 * dayMs) return days.format(Math.sign(awayMs) * Math.max(1, Math.round(size / dayMs)), 'day');
  return isoOf(new Date(atMs), false).slice(0, 10);
}

/** `Intl` says "3 min. ago" and "2 hr. ago". */
function around(awayMs: number, unitMs: number, unit: string): string {
  const text = `${Math.max(1, Math.round(Math.abs(awayMs) / unitMs))} ${unit}`;
  return awayMs < 0 ? `${text} ago` : `in ${text}`;
}

/** "2026-11-21 07:37:01 UTC", or in local time with its distance from UTC. */
export function formatInstant(instant: Date, inUtc: boolean): string {
  const text = isoOf(instant, inUtc).slice(0, 19).replace('T', ' ');
  if (inUtc) return `${text} UTC`;
  const offsetMins = -instant.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offsetMins) / 60), Math.abs(offsetMins) % 60];
  return `${text} ${offsetMins < 0 ? '−' : '+'}${pad(hours, 2)}:${pad(minutes, 2)}`;
}

/** ISO 8601 to the millisecond; of local time the clock alone counts, not the Z behind it. */
function isoOf(instant: Date, inUtc: boolean): string {
  return new Date(instant.getTime() - (inUtc ? 0 : instant.getTimezoneOffset() * minuteMs)).toISOString();
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

const formatByZone = new Map<string, Intl.DateTimeFormat>();

/**
 * "Mon 23 Nov, 08:00" by the clock of the zone; with its year where that is not the year of `now`.
 */
export function formatInZone(instant: Date, timeZone: string, now: Date): string {
  const { weekday, day, month, year, hour, minute } = partsInZone(instant, timeZone);
  const yearText = year === partsInZone(now, timeZone).year ? '' : ` ${year}`;
  return `${weekday} ${day} ${month}${yearText}, ${hour}:${minute}`;
}

function partsInZone(instant: Date, timeZone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  let format = formatByZone.get(timeZone);
  if (!format) {
    const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en', { timeZone, ...date, ...time });
    formatByZone.set(timeZone, format);
  }
  return Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
}

/** Shows instants as 'YYYY-MM-DD HH:mm:ss' by the clock of the zone; made once for many of them. */
export function clockOf(timeZone: string): (instant: Date) => string {
  // The Swedish way of writing dates is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => format.format(instant);
}

const months = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const datesInWords = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** '2026-11' is "November 2026". */
export function monthInWords(month: string): string {
  return months.format(new Date(`${month}-01T00:00:00Z`));
}

/** '2026-11-24' is "Tuesday, November 24". */
export function dayInWords(day: string): string {
  return datesInWords.format(new Date(`${day}T00:00:00Z`));
}

/** The time of day as the reader's browser writes it. */
export function formatLocalTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString();
}

/**
 * Time of day to the millisecond; with the date in front when it is another day than `nowMillis`.
 * '' when timestamps are off.
 */
export function formatTimestamp(millis: number, mode: TimestampMode, nowMillis: number): string {
  if (mode === 'none') return '';
  const [day, time] = splitTimestamp(millis, mode);
  const [today] = splitTimestamp(nowMillis, mode);
  return day === today ? time : `${day} ${time}`;
}

/** Date and time: what a tooltip, a copy and a downloaded file say. '' when timestamps are off. */
export function formatFullTimestamp(millis: number, mode: TimestampMode): string {
  return mode === 'none' ? '' : splitTimestamp(millis, mode).join(' ');
}

/** Many lines share a minute; a file of a million lines asks for each. */
const lastMinute = { local: { start: Number.NaN, day: '', time: '' }, utc: { start: Number.NaN, day: '', time: '' } };

function splitTimestamp(millis: number, mode: 'local' | 'utc'): [day: string, time: string] {
  const known = lastMinute[mode];
  if (!(millis >= known.start && millis < known.start + minuteMs)) {
    const start = new Date(Math.floor(millis / minuteMs) * minuteMs);
    if (Number.isNaN(start.getTime())) return ['', String(millis)];
    const text = isoOf(start, mode === 'utc');
    Object.assign(known, { start: start.getTime(), day: text.slice(0, -14), time: text.slice(-13, -7) });
  }
  const ofMinute = Math.trunc(millis - known.start);
  const seconds = pad(Math.trunc(ofMinute / secondMs), 2);
  return [known.day, `${known.time}${seconds}.${pad(ofMinute % secondMs, 3)}${mode === 'utc' ? 'Z' : ''}`];
}
