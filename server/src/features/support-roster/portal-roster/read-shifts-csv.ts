import { findShiftError, isMaskedNumber } from '@portal/contract/support-roster';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { ShiftColumns } from './portal-shifts.store.ts';
import { createTimeReader } from './time-reader.ts';

const maxLength = { name: 500, number: 40 };
const maxLines = 15_000;
const maxColumns = 50;
/** Reading stops at the next fault. */
const maxFaults = 20;

export interface CsvReading {
  readonly shifts: ShiftColumns;
  readonly faults: readonly CsvFault[];
  /** The text has more faults and was not read to its end. */
  readonly hasMoreFaults: boolean;
}

interface CsvFault {
  /** Line on which the record begins, from 1. */
  readonly line: number;
  /** A complete sentence. */
  readonly text: string;
  /** The error message if the whole text is invalid, not just one shift. */
  readonly refusal?: string;
}

/** The position of each column; -1 for a missing one. */
type ColumnPositions = Readonly<Record<'name' | 'number' | 'start' | 'end', number>>;

/** Stops the parser. */
class InvalidText extends Error {
  readonly line: number;

  constructor(line: number, text: string) {
    super(text);
    this.line = line;
  }
}

class TooManyFaults extends Error {}

/**
 * Reads shifts from a CSV text with the columns name, number (optional), start and end in any
 * order, named in the first line. Cells are treated as plain text, never as formulas.
 */
export function readShiftsCsv(csv: string, timeZone: string): CsvReading {
  const readTime = createTimeReader(timeZone);
  const shifts = createColumns();
  const faults: CsvFault[] = [];
  let columns: ColumnPositions | undefined;
  let headLine = 1;

  function readRecord(record: readonly string[], lastLine: number): void {
    if (!columns) {
      columns = findColumns(record, lastLine);
      headLine = lastLine;
      return;
    }
    const [name = '', number = ''] = [record[columns.name], record[columns.number]];
    const [startText = '', endText = ''] = [record[columns.start], record[columns.end]];
    const [start, end] = [readTime(startText), readTime(endText)];
    const error = findShiftError({ name, start: start?.toISOString() ?? null, end: end?.toISOString() ?? null });
    const unreadable = { name: '', start: start ? '' : startText, end: end ? '' : endText };
    const fault =
      error && unreadable[error.field] !== ''
        ? explainTime(error.field, unreadable[error.field], timeZone)
        : (error?.text ?? findTextError(name, number));
    if (fault !== undefined) {
      if (faults.length === maxFaults) throw new TooManyFaults();
      faults.push({ line: lastLine - record.join('').split('\n').length + 1, text: `${fault}.` });
    } else if (start && end) {
      shifts.names.push(name);
      shifts.numbers.push(number || null);
      shifts.starts.push(start.getTime());
      shifts.ends.push(end.getTime());
    }
  }

  try {
    parseCsv(csv, readRecord);
    if (!columns) throw new InvalidText(1, 'The file is empty.');
    if (shifts.names.length + faults.length === 0) throw new InvalidText(headLine, 'The file contains no shifts.');
    return { shifts, faults, hasMoreFaults: false };
  } catch (error) {
    if (error instanceof TooManyFaults) return { shifts, faults, hasMoreFaults: true };
    if (error instanceof InvalidText) return refuse(error.line, error.message);
    if (!(error instanceof CsvError)) throw error;
    const text = error.message.replace(/[^.]$/, '$&.');
    return refuse(typeof error.lines === 'number' ? error.lines : 1, text, `Nothing was imported. ${text}`);
  }
}

/**
 * Passes each record, and the line on which it ends, to `read`. Throws InvalidText and CsvError.
 */
function parseCsv(csv: string, read: (record: readonly string[], lastLine: number) => void): void {
  // The parser would count a quoted \r\n as two lines.
  const text = csv.replaceAll(/\r\n?/g, '\n');
  if (hasMoreLines(text.trimEnd(), maxLines))
    throw new InvalidText(
      maxLines + 1,
      `The file has more than ${maxLines.toLocaleString('en')} lines. Split it into parts.`,
    );
  parse(text, {
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_empty_values: true,
    trim: true,
    on_record(record: string[], { lines }) {
      read(record, lines);
      return null;
    },
  });
}

function hasMoreLines(text: string, max: number): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= max; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > max;
}

function findColumns(head: readonly string[], line: number): ColumnPositions {
  if (head.length > maxColumns)
    throw new InvalidText(
      line,
      `The first line has more than ${maxColumns} columns. Remove those that are not needed.`,
    );
  const names = head.map((name) => name.toLowerCase());
  const missing = ['name', 'start', 'end'].filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new InvalidText(line, `These columns are missing in the first line: ${missing.join(', ')}.`);
  const find = (name: string) => names.indexOf(name);
  return { name: find('name'), number: find('number'), start: find('start'), end: find('end') };
}

function createColumns(): { names: string[]; numbers: (string | null)[]; starts: number[]; ends: number[] } {
  return { names: [], numbers: [], starts: [], ends: [] };
}

function refuse(line: number, text: string, refusal = text): CsvReading {
  return {
    shifts: createColumns(),
    faults: [{ line, text, refusal }],
    hasMoreFaults: false,
  };
}

const dayOnly = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$/;
const clockOnly = /^\d{1,2}:\d{2}(:\d{2})?$/;
const maxQuoted = 40;

/** Explains why a time cannot be read. */
function explainTime(column: string, text: string, timeZone: string): string {
  const quoted = `“${text.slice(0, maxQuoted)}”`;
  const example = 'write it like “2026-11-23 08:00”';
  if (dayOnly.test(text)) return `The ${column} ${quoted} has no time of day: ${example}`;
  if (clockOnly.test(text)) return `The ${column} ${quoted} has no date: ${example}`;
  return `The ${column} ${quoted} is not a time in ${timeZone}: ${example}`;
}

/** What a spreadsheet makes of a long number: "2.78213E+10". */
const scientific = /^\d(?:[.,]\d+)?E\+?\d+$/i;

function findTextError(name: string, number: string): string | undefined {
  if (name.includes('\uFFFD'))
    return 'The name has a character that could not be read. Save the file as UTF-8, and choose it again';
  if (scientific.test(number))
    return `A spreadsheet has shortened the number to “${number}”. Format its column as text, and enter the number again`;
  if (name.length > maxLength.name) return 'The name is too long';
  if (number.length > maxLength.number) return 'The number is too long';
  return isMaskedNumber(number) ? 'The number is masked' : undefined;
}
