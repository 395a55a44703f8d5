import { getLogLevel, type LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../../format/instants.ts';

export const timestampModes: readonly TimestampMode[] = ['local', 'utc', 'none'];

/** All levels in ascending severity. */
export const logLevels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warning', 'severe', 'error'];

/** Keys that are a level. Any other key is the name of an error. */
const levelKeys = new Set('TRACE FINEST FINER DEBUG FINE INFO WARNING WARN SEVERE ERROR'.split(' '));

/** The width of the longest label, for alignment. */
export const levelLabelWidth = 7;

/**
 * Returns the label in front of a line: the platform's own for a level, ERROR for the name of an
 * error.
 */
export function getLevelLabel(key: string): string {
  const label = key.toUpperCase();
  return levelKeys.has(label) ? label : 'ERROR';
}

/**
 * Whether a line belongs to a Java stack trace after its first line. Trace lines arrive within one
 * value or as separate records. Runs for every line, so the first character decides in most cases.
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
 * Whether a record continues the one before it. A trace may be interrupted by an INFO line of
 * another thread; the rest then starts its own entry instead of being hidden with the INFO line.
 */
export function continuesEntry(key: string, value: string, entryLevel: LogLevel | null): boolean {
  if (entryLevel === null || !isTraceLine(value)) return false;
  return !isHarmless(entryLevel) || isHarmless(getLogLevel(key));
}

function isHarmless(level: LogLevel): boolean {
  return level === 'trace' || level === 'debug' || level === 'info';
}

/** Normalizes line breaks to \n and removes trailing ones. */
export function withPlainBreaks(value: string): string {
  if (!value.includes('\r') && !value.endsWith('\n')) return value;
  return value.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
}

/**
 * Returns the error name to put before the text, or '' if the text starts with it or the key is a
 * level.
 */
export function getErrorPrefix(key: string, value: string): string {
  return key === '' || levelKeys.has(key.toUpperCase()) || value.startsWith(key) ? '' : `${key}: `;
}
