import { type LogLevel, levelOfKey } from '@portal/contract/logs';

export type TimestampMode = 'local' | 'utc' | 'none';
export const timestampModes: readonly TimestampMode[] = ['local', 'utc', 'none'];

/** From harmless to worst: the order in which levels are offered. */
export const logLevels: readonly LogLevel[] = ['info', 'warning', 'severe', 'error'];

/** Keys that are a level by themselves; every other key names an error and is worth reading. */
const plainKeys = new Set(['INFO', 'DEBUG', 'TRACE', 'FINE', 'WARNING', 'WARN', 'SEVERE', 'ERROR']);

/** The widest word below, so that texts stand in one column. */
export const levelWordWidth = 7;

/** The word in front of a line: the platform's own for a level, ERROR for what only names an error. */
export function levelWordOf(key: string): string {
  const word = key.toUpperCase();
  return plainKeys.has(word) ? word : 'ERROR';
}

/**
 * Lines of a Java stack trace behind its first: they come inside one value, or as records of their own.
 * Cheap on purpose, it is asked for every line: most lines are told by their first character.
 */
export function isTraceLine(text: string): boolean {
  switch (text.charCodeAt(0)) {
    case 9: // tab
    case 32: // space
    case 46: // .
      return /^\s*(?:at [^\s]|\.\.\. \d+ |Caused by: |Suppressed: )/.test(text);
    case 67: // C
      return text.startsWith('Caused by: ');
    case 83: // S
      return text.startsWith('Suppressed: ');
    default:
      return false;
  }
}

/**
 * Whether a record continues the one before it. One thread's trace may be cut by another's INFO line: what follows
 * then stands alone under its own level rather than hiding below the INFO line.
 */
export function continuesEntry(key: string, value: string, entryLevel: LogLevel | null): boolean {
  if (entryLevel === null || !isTraceLine(value)) return false;
  return entryLevel !== 'info' || levelOfKey(key) === 'info';
}

/** Carriage returns are line breaks, and a value does not end in an empty line. */
export function withPlainBreaks(value: string): string {
  if (!value.includes('\r') && !value.endsWith('\n')) return value;
  return value.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
}

/** The error's name in front of its text, unless the text says it already or the key is only a level. */
export function errorNameOf(key: string, value: string): string {
  return key === '' || plainKeys.has(key.toUpperCase()) || value.startsWith(key) ? '' : `${key}: `;
}

const pad = (value: number, digits: number) => String(value).padStart(digits, '0');

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
  if (!(millis >= known.start && millis < known.start + 60_000)) {
    const start = Math.floor(millis / 60_000) * 60_000;
    const date = new Date(start);
    if (Number.isNaN(date.getTime())) return ['', String(millis)];
    const shifted = new Date(start - (mode === 'local' ? date.getTimezoneOffset() * 60_000 : 0)).toISOString();
    Object.assign(known, { start, day: shifted.slice(0, -14), time: shifted.slice(-13, -7) });
  }
  const ofMinute = Math.trunc(millis - known.start);
  const seconds = pad(Math.trunc(ofMinute / 1000), 2);
  return [known.day, `${known.time}${seconds}.${pad(ofMinute % 1000, 3)}${mode === 'utc' ? 'Z' : ''}`];
}

const counting = new Intl.NumberFormat('en');

/** "1 line", "12,345 lines". */
export function countOf(count: number, noun: string): string {
  return `${counting.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatCount(count: number): string {
  return counting.format(count);
}
