import { getLogLevel, type LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../lib/format.ts';

export const timestampModes: readonly TimestampMode[] = ['local', 'utc', 'none'];

/** From harmless to worst: the order in which levels are offered. */
export const logLevels: readonly LogLevel[] = ['info', 'warning', 'severe', 'error'];

/** Keys that are a level by themselves; every other key names an error and is worth reading. */
const plainKeys = new Set(['INFO', 'DEBUG', 'TRACE', 'FINE', 'WARNING', 'WARN', 'SEVERE', 'ERROR']);

/** The widest word below, so that texts stand in one column. */
export const levelWordWidth = 7;

/**
 * The word in front of a line: the platform's own for a level, ERROR for what only names an error.
 */
export function levelWordOf(key: string): string {
  const word = key.toUpperCase();
  return plainKeys.has(word) ? word : 'ERROR';
}

/**
 * Lines of a Java stack trace behind its first: they come inside one value, or as records of their
 * own. Cheap on purpose, it is asked for every line: most lines are told by their first character.
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
 * Whether a record continues the one before it. One thread's trace may be cut by another's INFO
 * line: what follows then stands alone under its own level rather than hiding below the INFO line.
 */
export function continuesEntry(key: string, value: string, entryLevel: LogLevel | null): boolean {
  if (entryLevel === null || !isTraceLine(value)) return false;
  return entryLevel !== 'info' || getLogLevel(key) === 'info';
}

/** Carriage returns are line breaks, and a value does not end in an empty line. */
export function withPlainBreaks(value: string): string {
  if (!value.includes('\r') && !value.endsWith('\n')) return value;
  return value.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
}

/**
 * The error's name in front of its text, unless the text says it already or the key is only a
 * level.
 */
export function errorNameOf(key: string, value: string): string {
  return key === '' || plainKeys.has(key.toUpperCase()) || value.startsWith(key) ? '' : `${key}: `;
}
