import { findShiftFault } from '@portal/contract/support-roster';
import { instantOf } from '../../lib/wall-clock.ts';

export interface CsvShift {
  readonly name: string;
  readonly number: string;
  /** ISO instants. */
  readonly start: string;
  readonly end: string;
}

export interface CsvReading {
  readonly shifts: readonly CsvShift[];
  /** What the server would refuse, by line of the text, which counts from 1. */
  readonly faults: readonly { readonly line: number; readonly text: string }[];
}

const headers = ['name', 'number', 'start', 'end'] as const;

/** What an import of this text would bring, before it is sent. The server judges again. */
export function readShiftsCsv(csv: string, timeZone: string): CsvReading {
  const [head, ...records] = recordsIn(csv).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (!head) return { shifts: [], faults: [{ line: 1, text: 'There is nothing to import.' }] };
  const names = head.cells.map((cell) => cell.trim().toLowerCase());
  const missing = headers.filter((name) => name !== 'number' && !names.includes(name));
  if (missing.length > 0)
    return { shifts: [], faults: [{ line: head.line, text: `The first line names no column ${missing.join(', ')}.` }] };
  if (records.length === 0) return { shifts: [], faults: [{ line: head.line, text: 'There are no shifts in it.' }] };

  const shifts: CsvShift[] = [];
  const faults: { line: number; text: string }[] = [];
  for (const { line, cells } of records) {
    const at = (name: (typeof headers)[number]) => cells[names.indexOf(name)]?.trim() ?? '';
    const start = instantIn(at('start'), timeZone);
    const end = instantIn(at('end'), timeZone);
    const fault = findShiftFault({ name: at('name'), start, end });
    if (fault) faults.push({ line, text: `${fault.text}.` });
    else if (start !== null && end !== null) shifts.push({ name: at('name'), number: at('number'), start, end });
  }
  return { shifts, faults };
}

/** "2026-11-23 08:00" by the clock of the zone, or ISO with its distance from UTC; null for anything else. */
function instantIn(text: string, timeZone: string): string | null {
  if (/^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}$/.test(text))
    return instantOf(text.replace(' ', 'T'), timeZone, { shape: 'field' })?.toISOString() ?? null;
  const [, day] = /^(\d{4}-\d{2}-\d{2})T.*(?:Z|[+-]\d{2}:?\d{2})$/i.exec(text) ?? [];
  const at = new Date(text);
  // A browser takes the 31st of a month that has none for the 1st of the next one.
  const isDay = day !== undefined && instantOf(`${day} 00:00:00`, 'UTC') !== null;
  return isDay && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}

/** RFC 4180, with either end of line: each record with the line it begins on. */
function recordsIn(csv: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let line = 1;
  let begun = 1;
  const endRecord = () => {
    records.push({ line: begun, cells: [...cells, cell] });
    cells = [];
    cell = '';
  };
  const text = csv.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\n') line++;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') cell += text[at++];
      else isQuoted = false;
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === ',') {
      cells.push(cell);
      cell = '';
    } else if (char === '\n') {
      endRecord();
      begun = line;
    } else cell += char;
  }
  if (cell !== '' || cells.length > 0) endRecord();
  return records;
}
