/** Reads the frames of a log stream. None is skipped: one that is not a record becomes a line. */
import { nullText } from '../null-text.ts';
import type { HeliumLogRecord } from './wire.ts';

/** The part of a record that the portal relies on. */
export type HeliumLogLine = Pick<HeliumLogRecord, 'key' | 'value' | 'millis'> & {
  /** Null if the frame is not a record: then the app's table does not have it. */
  readonly id: string | null;
};

/** The latest instant of a JavaScript `Date`. */
const maxMillis = 8.64e15;

/** Checks by hand, because tens of thousands of frames arrive per second. */
export function readLogFrame(text: string): HeliumLogLine {
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null) return toWarning(text);
  const { id, key, value, millis }: Partial<Record<keyof HeliumLogRecord, unknown>> = parsed;
  // JSON.parse reads 1e999 as Infinity.
  const isRecord = typeof id === 'string' && typeof millis === 'number' && Math.abs(millis) <= maxMillis;
  return isRecord ? { id, key: key === null ? '' : toText(key), value: toText(value), millis } : toWarning(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toText(field: unknown): string {
  if (typeof field === 'string') return field;
  return field === null || field === undefined ? nullText : JSON.stringify(field);
}

function toWarning(text: string): HeliumLogLine {
  return {
    id: null,
    key: 'WARNING',
    value: `Helium sent something that is not a log record: ${text}`,
    millis: Date.now(),
  };
}
