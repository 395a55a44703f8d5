import { formatFullTimestamp, type TimestampMode } from '../../format/instants.ts';
import {
  getKind,
  getRowKey,
  getRowMillis,
  getRowValue,
  getText,
  isContinuation,
  isMarker,
  type LogChunk,
} from './log-chunk.ts';
import { getLevelLabel, levelLabelWidth } from './log-format.ts';

export type DownloadFormat = 'text' | 'ndjson';

export const mimeTypeByFormat: Readonly<Record<DownloadFormat, string>> = {
  text: 'text/plain;charset=utf-8',
  ndjson: 'application/x-ndjson;charset=utf-8',
};

/**
 * Formats the rows `from` to `to` (indexes) of a chunk for a file, with \n after each line. Text
 * looks like the view. NDJSON has each record as the platform sent it, `{millis, key, value}`, and
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

/** Formats a row as text: time and level before its first line, trace lines unchanged. */
function formatRow(chunk: LogChunk, index: number, timestamps: TimestampMode): string {
  return formatPrefix(chunk, index, timestamps) + getText(chunk, index, index + 1);
}

/** Returns the prefix of a row's first line, or '' for trace lines. */
export function formatPrefix(chunk: LogChunk, index: number, timestamps: TimestampMode): string {
  const kind = getKind(chunk, index);
  if (isContinuation(kind)) return '';
  if (isMarker(kind)) return `${'--'.padEnd(levelLabelWidth)} `;
  const time = formatFullTimestamp(getRowMillis(chunk, index), timestamps);
  const label = getLevelLabel(getRowKey(chunk, index));
  return `${time === '' ? '' : `${time} `}${label.padEnd(levelLabelWidth)} `;
}

function toJson(chunk: LogChunk, index: number): string {
  const millis = getRowMillis(chunk, index);
  const value = getRowValue(chunk, index);
  return JSON.stringify(
    isMarker(getKind(chunk, index)) ? { millis, marker: value } : { millis, key: getRowKey(chunk, index), value },
  );
}

/**
 * Returns a sortable file name that is valid on every file system:
 * "visit-planner-2026-11-03T14-03-22.log".
 */
export function toFileName(appName: string, format: DownloadFormat, nowMillis: number): string {
  const name = appName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const time = new Date(nowMillis).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${name || 'app'}-${time}.${format === 'text' ? 'log' : 'ndjson'}`;
}
