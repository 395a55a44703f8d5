import { findShiftError } from '@portal/contract/support-roster';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { isMasked } from '../phone-numbers.ts';
import type { NewShift } from './portal-shifts.store.ts';
import { readInstant, readWallTime } from './shift-times.ts';

const maxLength = { name: 500, number: 40 };

/** With the line of the text that each record ends on. */
const parsedCsv = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

export interface CsvReading {
  readonly shifts: readonly NewShift[];
  readonly faults: readonly CsvFault[];
}

interface CsvFault {
  /** On which the faulty record begins, from 1. */
  readonly line: number;
  /** A sentence. */
  readonly text: string;
  /** The message of an import when the whole text is wrong, not one of its shifts. */
  readonly refusal?: string;
}

/**
 * Reads the shifts of a CSV text with the columns name, number (if any), start, end, which its
 * first line names in any order. What a cell looks like to a spreadsheet does not matter: it is
 * text.
 */
export function readShiftsCsv(csv: string, timeZone: string): CsvReading {
  const records = parseCsv(csv);
  if ('faults' in records) return records;
  const [head, ...lines] = records;
  if (!head) return fatal(1, 'There is nothing to import.');
  const names = head.record.map((name) => name.toLowerCase());
  const missing = ['name', 'start', 'end'].filter((name) => !names.includes(name));
  if (missing.length > 0) return fatal(head.info.lines, `The first line names no column ${missing.join(', ')}.`);
  if (lines.length === 0) return fatal(head.info.lines, 'There are no shifts in it.');

  const shifts: NewShift[] = [];
  const faults: CsvFault[] = [];
  for (const { record, info } of lines) {
    const at = (name: string) => record[names.indexOf(name)] ?? '';
    const [name, number] = [at('name'), at('number')];
    const [start, end] = [readTime(at('start'), timeZone), readTime(at('end'), timeZone)];
    const fault =
      findShiftError({ name, start: start?.toISOString() ?? null, end: end?.toISOString() ?? null })?.text ??
      findTextError(name, number);
    const line = info.lines - record.join('').split('\n').length + 1;
    if (fault !== undefined) faults.push({ line, text: `${fault}.` });
    else if (start && end) shifts.push({ name, number: number === '' ? undefined : number, start, end });
  }
  return { shifts, faults };
}

function parseCsv(csv: string): z.infer<typeof parsedCsv> | CsvReading {
  try {
    return parsedCsv.parse(
      // The parser would count each half of a quoted line end.
      parse(csv.replaceAll(/\r\n?/g, '\n'), {
        bom: true,
        info: true,
        relax_column_count: true,
        relax_quotes: true,
        skip_records_with_empty_values: true,
        trim: true,
      }),
    );
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const text = error.message.replace(/[^.]$/, '$&.');
    return fatal(typeof error.lines === 'number' ? error.lines : 1, text, `Nothing was imported. ${text}`);
  }
}

function fatal(line: number, text: string, refusal = text): CsvReading {
  return { shifts: [], faults: [{ line, text, refusal }] };
}

function readTime(text: string, timeZone: string): Date | undefined {
  return readWallTime(text, timeZone) ?? readInstant(text);
}

function findTextError(name: string, number: string): string | undefined {
  if (name.length > maxLength.name) return 'The name is too long';
  if (number.length > maxLength.number) return 'The number is too long';
  return isMasked(number) ? 'The number is masked' : undefined;
}
