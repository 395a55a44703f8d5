import { findShiftError } from '@portal/contract/support-roster';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { isMasked } from '../phone-numbers.ts';
import type { NewShift } from './portal-shifts.store.ts';
import { readInstant, readWallTime } from './shift-times.ts';

const maxLength = { name: 500, number: 40 };

/** Each record with the line on which it ends. */
const parsedCsv = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

export interface CsvReading {
  readonly shifts: readonly NewShift[];
  readonly faults: readonly CsvFault[];
}

interface CsvFault {
  /** Line on which the record begins, from 1. */
  readonly line: number;
  /** A complete sentence. */
  readonly text: string;
  /** The error message if the whole text is invalid, not just one shift. */
  readonly refusal?: string;
}

/**
 * Reads shifts from a CSV text with the columns name, number (optional), start and end in any
 * order, named in the first line. Cells are treated as plain text, never as formulas.
 */
export function readShiftsCsv(csv: string, timeZone: string): CsvReading {
  const records = parseCsv(csv);
  if ('faults' in records) return records;
  const [head, ...lines] = records;
  if (!head) return fatal(1, 'The file is empty.');
  const names = head.record.map((name) => name.toLowerCase());
  const missing = ['name', 'start', 'end'].filter((name) => !names.includes(name));
  if (missing.length > 0)
    return fatal(head.info.lines, `These columns are missing in the first line: ${missing.join(', ')}.`);
  if (lines.length === 0) return fatal(head.info.lines, 'The file contains no shifts.');

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
      // The parser would count a quoted \r\n as two lines.
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
