import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readShiftsCsv } from './read-shifts-csv.ts';

const zone = 'Africa/Johannesburg';

describe('readShiftsCsv', () => {
  it('reads local times in the time zone, and ISO times with their offset', () => {
    const csv = 'Name,Number,Start,End\nThandi,+27821234567,2026-11-23 08:00,2026-11-30T08:00:00+02:00\n';
    expect(readShiftsCsv(csv, zone)).toEqual({
      shifts: {
        names: ['Thandi'],
        numbers: ['+27821234567'],
        starts: [Date.parse('2026-11-23T06:00:00.000Z')],
        ends: [Date.parse('2026-11-30T06:00:00.000Z')],
      },
      faults: [],
      hasMoreFaults: false,
    });
  });

  it('reports the line on which each faulty record begins, as editors count them', () => {
    const csv = [
      'end,start,name',
      '2026-11-30 08:00,2026-11-23 08:00,"Nkosi, ""T""\nThandi"',
      '',
      '2026-11-30 08:00,2026-11-23 08:00,',
      '2026-11-30 08:00,Monday,Sipho',
      '2026-11-22 08:00,2026-11-23 08:00,Sipho',
      'soon,2026-11-23 08:00,"Two\r\nlines"',
    ].join('\r\n');
    const { shifts, faults } = readShiftsCsv(csv, zone);
    expect(shifts.names).toEqual(['Nkosi, "T"\nThandi']);
    expect(faults).toEqual([
      { line: 5, text: 'Please enter a name.' },
      { line: 6, text: 'The start “Monday” is not a time in Africa/Johannesburg: write it like “2026-11-23 08:00”.' },
      { line: 7, text: 'The shift must end after it begins.' },
      { line: 8, text: 'The end “soon” is not a time in Africa/Johannesburg: write it like “2026-11-23 08:00”.' },
    ]);
  });

  it.each([
    ['\n \n', 'The file is empty.'],
    ['name,number\nA,1', 'These columns are missing in the first line: start, end.'],
    ['name,start,end\n', 'The file contains no shifts.'],
  ])('reports what is missing in %j', (csv, text) => {
    expect(readShiftsCsv(csv, zone).faults).toMatchObject([{ line: 1, text }]);
  });

  const shift = 'A,2026-11-23 08:00,2026-11-30 08:00';

  it('stops at the first fault after the twentieth', () => {
    const withFaults = (count: number) =>
      readShiftsCsv(['name,start,end', ...Array(count).fill('a,b,c')].join('\n'), zone);
    expect(withFaults(20)).toMatchObject({ hasMoreFaults: false });
    expect(withFaults(20).faults.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, at) => at + 2));
    expect(withFaults(21)).toEqual({ ...withFaults(20), hasMoreFaults: true });
    const unclosed = readShiftsCsv(`name,start,end\n${'a,b,c\n'.repeat(30)}"never closed`, zone);
    expect(unclosed).toEqual(withFaults(21));
  });

  it('reads up to 15,000 lines and rejects a longer text as a whole', () => {
    const csv = (lines: number) => ['name,start,end', ...Array(lines - 1).fill(shift)].join('\r\n');
    expect(readShiftsCsv(`${csv(15_000)}\r\n\r\n`, zone).shifts.names).toHaveLength(14_999);
    expect(readShiftsCsv(csv(15_001), zone)).toMatchObject({
      shifts: { names: [] },
      faults: [{ line: 15_001, text: 'The file has more than 15,000 lines. Split it into parts.' }],
    });
  });

  it('reads up to 50 columns and rejects a first line with more before it reads the others', () => {
    const csv = (columns: number) => `name,start,end${',x'.repeat(columns - 3)}\n${shift}`;
    expect(readShiftsCsv(csv(50), zone).shifts.names).toEqual(['A']);
    expect(readShiftsCsv(`${csv(51)}\n"never closed`, zone).faults).toMatchObject([
      { line: 1, text: 'The first line has more than 50 columns. Remove those that are not needed.' },
    ]);
  });

  it.each(['2026/11/23 08:00', '2026-11-23 8:00', '2026/11/23 8:00', '2026.11.23 08:00', '2026-11-23 08:00:00'])(
    'reads %s as spreadsheets write it',
    (start) => {
      const { shifts, faults } = readShiftsCsv(`name,start,end\nA,${start},2026-11-30 08:00`, zone);
      expect(faults).toEqual([]);
      expect(shifts.starts).toEqual([Date.parse('2026-11-23T06:00:00Z')]);
    },
  );

  it.each([
    ['A,1,8:00,2026-11-30 08:00', 'The start “8:00” has no date: write it like “2026-11-23 08:00”.'],
    ['A,1,2026-11-23 08:00,2026/11/30', 'The end “2026/11/30” has no time of day: write it like “2026-11-23 08:00”.'],
    [
      'A,1,23/11/2026 08:00,2026-11-30 08:00',
      'The start “23/11/2026 08:00” is not a time in Africa/Johannesburg: write it like “2026-11-23 08:00”.',
    ],
    ['A,1,,2026-11-30 08:00', 'Please enter when the shift begins.'],
    [
      'A,2.78213E+10,2026-11-23 08:00,2026-11-30 08:00',
      'A spreadsheet has shortened the number to “2.78213E+10”. Format its column as text, and enter the number again.',
    ],
    [
      'Zo\uFFFD,1,2026-11-23 08:00,2026-11-30 08:00',
      'The name has a character that could not be read. Save the file as UTF-8, and choose it again.',
    ],
  ])('explains what is wrong with %j', (line, text) => {
    expect(readShiftsCsv(`name,number,start,end\n${line}`, zone).faults).toEqual([{ line: 2, text }]);
  });

  it('reads back any name and number written as CSV', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ', '=', "'") }).map((raw) => `x${raw}x`);
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (people) => {
        const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
        const lines = people.map((cells) => [...cells.map(quote), '2026-11-23 08:00', '2026-11-30 08:00'].join(','));
        const { shifts, faults } = readShiftsCsv(['name,number,start,end', ...lines].join('\r\n'), zone);
        expect(faults).toEqual([]);
        expect(shifts.names.map((name, at) => [name, shifts.numbers[at]])).toEqual(people);
      }),
    );
  });
});
