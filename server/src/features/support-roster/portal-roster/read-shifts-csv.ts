import { findShiftFault } from '@portal/contract/support-roster';
import { Invalid } from '@portal/kit/problems';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { isMasked } from '../phone-numbers.ts';
import type { NewShift } from './own-shifts.store.ts';
import { readInstant, readWallTime } from './shift-times.ts';

const mostFaults = 20;
const longest = { name: 500, number: 40 };

/** With the line of the text that each record ends on. */
const parsedCsv = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

/**
 * The shifts of a CSV text with the columns name, number (if any), start, end, which its first line names in any order.
 * What a cell looks like to a spreadsheet does not matter: it is text. Throws Invalid with each line that is wrong.
 */
export function readShiftsCsv(csv: string, timeZone: string): NewShift[] {
  const [head, ...lines] = parseCsv(csv);
  if (!head) throw new Invalid('There is nothing to import.');
  const names = head.record.map((name) => name.toLowerCase());
  const missing = ['name', 'start', 'end'].filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Invalid(`The first line names no column ${missing.join(', ')}.`);
  if (lines.length === 0) throw new Invalid('There are no shifts in it.');

  const shifts: NewShift[] = [];
  const faults: string[] = [];
  for (const { record, info } of lines) {
    const at = (name: string) => record[names.indexOf(name)] ?? '';
    const [name, number] = [at('name'), at('number')];
    const [start, end] = [readTime(at('start'), timeZone), readTime(at('end'), timeZone)];
    const fault =
      findShiftFault({ name, start: start?.toISOString() ?? null, end: end?.toISOString() ?? null })?.text ??
      findTextFault(name, number);
    if (fault !== undefined) faults.push(`Line ${info.lines}: ${fault}.`);
    else if (start && end) shifts.push({ name, number: number === '' ? undefined : number, start, end });
  }
  if (faults.length === 0) return shifts;
  const others = faults.length > mostFaults ? ` And ${faults.length - mostFaults} more.` : '';
  throw new Invalid(`Nothing was imported. ${faults.slice(0, mostFaults).join(' ')}${others}`);
}

function parseCsv(csv: string): z.infer<typeof parsedCsv> {
  try {
    return parsedCsv.parse(
      parse(csv, {
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
    throw new Invalid(`Nothing was imported. ${error.message.replace(/[^.]$/, '$&.')}`);
  }
}

function readTime(text: string, timeZone: string): Date | undefined {
  return readWallTime(text, timeZone) ?? readInstant(text);
}

function findTextFault(name: string, number: string): string | undefined {
  if (name.length > longest.name) return 'The name is too long';
  if (number.length > longest.number) return 'The number is too long';
  return isMasked(number) ? 'The number is masked' : undefined;
}
