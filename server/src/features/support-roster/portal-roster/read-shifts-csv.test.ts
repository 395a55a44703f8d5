import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readShiftsCsv } from './read-shifts-csv.ts';

const zone = 'Africa/Johannesburg';

describe('readShiftsCsv', () => {
  it('reads local times in the time zone, and ISO times with their offset', () => {
    const csv = 'Name,Number,Start,End\nThandi,+27821234567,2026-11-23 08:00,2026-11-30T08:00:00+02:00\n';
    expect(readShiftsCsv(csv, zone)).toEqual({
      shifts: [
        {
          name: 'Thandi',
          number: '+27821234567',
          start: new Date('2026-11-23T06:00:00.000Z'),
          end: new Date('2026-11-30T06:00:00.000Z'),
        },
      ],
      faults: [],
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
    expect(shifts.map(({ name }) => name)).toEqual(['Nkosi, "T"\nThandi']);
    expect(faults).toEqual([
      { line: 5, text: 'Please enter a name.' },
      { line: 6, text: 'Please enter when the shift begins.' },
      { line: 7, text: 'The shift must end after it begins.' },
      { line: 8, text: 'Please enter when the shift ends.' },
    ]);
  });

  it.each([
    ['\n \n', 'The file is empty.'],
    ['name,number\nA,1', 'These columns are missing in the first line: start, end.'],
    ['name,start,end\n', 'The file contains no shifts.'],
  ])('reports what is missing in %j', (csv, text) => {
    expect(readShiftsCsv(csv, zone).faults).toMatchObject([{ line: 1, text }]);
  });

  it('reads back any name and number written as CSV', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ', '=', "'") }).map((raw) => `x${raw}x`);
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (people) => {
        const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
        const lines = people.map((cells) => [...cells.map(quote), '2026-11-23 08:00', '2026-11-30 08:00'].join(','));
        const { shifts, faults } = readShiftsCsv(['name,number,start,end', ...lines].join('\r\n'), zone);
        expect(faults).toEqual([]);
        expect(shifts.map(({ name, number }) => [name, number])).toEqual(people);
      }),
    );
  });
});
