import { formatFullTimestamp, type TimestampMode } from '../lib/format.ts';
import {
  isContinuation,
  isMarker,
  keyOfRow,
  kindOf,
  type LogChunk,
  millisOfRow,
  textBetween,
  valueOfRow,
} from './log-chunk.ts';
import { levelWordOf, levelWordWidth } from './log-format.ts';

export type DownloadFormat = 'text' | 'ndjson';

export const mimeTypeByFormat: Readonly<Record<DownloadFormat, string>> = {
  text: 'text/plain;charset=utf-8',
  ndjson: 'application/x-ndjson;charset=utf-8',
};

/**
 * Rows `from` to `to` (indexes) of a chunk as they stand in a file, each line ended by \n. Text
 * looks like the view; NDJSON has the record as the platform sent it, `{millis, key, value}`, and
 * markers as `{millis, marker}`.
 */
export function formatRows(
  chunk: LogChunk,
  from: number,
  to: number,
  format: DownloadFormat,
  timestamps: TimestampMode,
): string {
  let out = '';
  for (let index = from; index < to; index += 1) {
    out += `${format === 'text' ? formatRow(chunk, index, timestamps) : toJson(chunk, index)}\n`;
  }
  return out;
}

/** A row as text: time and level in front of its first line, trace lines as they are. */
function formatRow(chunk: LogChunk, index: number, timestamps: TimestampMode): string {
  return prefixOf(chunk, index, timestamps) + textBetween(chunk, index, index + 1);
}

/** What stands before the first line of a row; '' before trace lines. */
export function prefixOf(chunk: LogChunk, index: number, timestamps: TimestampMode): string {
  const kind = kindOf(chunk, index);
  if (isContinuation(kind)) return '';
  const time = formatFullTimestamp(millisOfRow(chunk, index), timestamps);
  const word = isMarker(kind) ? '--' : levelWordOf(keyOfRow(chunk, index));
  return `${time === '' ? '' : `${time} `}${word.padEnd(levelWordWidth)} `;
}

function toJson(chunk: LogChunk, index: number): string {
  const millis = millisOfRow(chunk, index);
  const value = valueOfRow(chunk, index);
  return JSON.stringify(
    isMarker(kindOf(chunk, index)) ? { millis, marker: value } : { millis, key: keyOfRow(chunk, index), value },
  );
}

/**
 * A name that sorts by time and that every file system takes:
 * "visit-planner-2026-11-03T14-03-22.log".
 */
export function fileNameOf(appName: string, format: DownloadFormat, nowMillis: number): string {
  const name = appName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const time = new Date(nowMillis).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${name || 'app'}-${time}.${format === 'text' ? 'log' : 'ndjson'}`;
}
