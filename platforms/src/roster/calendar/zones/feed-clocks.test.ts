import { describe, expect, it } from 'vitest';
import { expandCalendar } from '../expand-calendar.ts';
import { unpackShifts } from '../packed-shifts.ts';
import { windowsZones } from './windows-zones.ts';
import { findZoneClock } from './zone-clock.ts';

const observance = (kind: string, start: string, from: string, to: string, rule?: string) => [
  `BEGIN:${kind}`,
  `DTSTART:${start}`,
  ...(rule === undefined ? [] : [`RRULE:${rule}`]),
  `TZOFFSETFROM:${from}`,
  `TZOFFSETTO:${to}`,
  `END:${kind}`,
];
const describeZone = (name: string, ...observances: readonly (readonly string[])[]) => [
  'BEGIN:VTIMEZONE',
  `TZID:${name}`,
  ...observances.flat(),
  'END:VTIMEZONE',
];
/** As Windows describes Berlin's zone. */
const berlin = [
  observance('STANDARD', '16010101T030000', '+0200', '+0100', 'FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10'),
  observance('DAYLIGHT', '16010101T020000', '+0100', '+0200', 'FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'),
];
const year = { from: new Date('2026-01-01T00:00Z'), to: new Date('2027-01-01T00:00Z') };

/** Reads a feed of one event that starts at a time; returns its start, or why it was skipped. */
function readStart(parameter: string, start: string, lines: readonly string[] = []) {
  const other = ['BEGIN:VEVENT', 'UID:2', 'SUMMARY:B', 'DTSTART:20260301T000000Z', 'DURATION:PT1H', 'END:VEVENT'];
  const event = ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:A', `DTSTART${parameter}:${start}`, 'DURATION:PT1H', 'END:VEVENT'];
  const text = ['BEGIN:VCALENDAR', ...lines, ...event, ...other, 'END:VCALENDAR', ''].join('\r\n');
  const { shifts, warnings } = expandCalendar(text, [year], 'Africa/Johannesburg');
  const [shift] = (unpackShifts(shifts)[0] ?? []).filter(({ name }) => name === 'A');
  return { start: shift?.start.toISOString().slice(0, 16), warnings };
}

describe('time zone that only the feed describes', () => {
  it.each([
    ['the first time of a repeated hour', '20261025T023000', '2026-10-25T00:30'],
    ['the offset before a skipped hour', '20260329T023000', '2026-03-29T01:30'],
    ['the hour before the change', '20261025T013000', '2026-10-24T23:30'],
    ['the hour after the change', '20261025T033000', '2026-10-25T02:30'],
    ['a day in winter', '20260115T080000', '2026-01-15T07:00'],
    ['a day in summer', '20260715T080000', '2026-07-15T06:00'],
  ])('gives %s, as IANA zones do', (_, start, expected) => {
    expect(readStart(';TZID=Head Office', start, describeZone('Head Office', ...berlin)).start).toBe(expected);
    expect(readStart(';TZID=Europe/Berlin', start).start).toBe(expected);
  });

  it.each([
    ['20260112T080000', '2026-01-12T07:00'],
    ['20260511T080000', '2026-05-11T06:00'],
  ])('has the offset before its first observance: %s', (start, expected) => {
    const zone = describeZone('Plant', observance('STANDARD', '20260501T000000', '+0100', '+0200'));
    expect(readStart(';TZID=Plant', start, zone)).toEqual({ start: expected, warnings: [] });
  });

  it('follows RDATE, UNTIL and offsets with seconds', () => {
    const zone = describeZone(
      'Plant',
      [
        ...observance('STANDARD', '20200101T000000', '+0100', '+0100').slice(0, -1),
        'RDATE:20260601T000000,20270601T000000',
        'END:STANDARD',
      ],
      observance('DAYLIGHT', '20200401T000000', '+0100', '+021500', 'FREQ=YEARLY;UNTIL=20260331T230000Z'),
    );
    expect(readStart(';TZID=Plant', '20260415T080000', zone).start).toBe('2026-04-15T05:45');
    expect(readStart(';TZID=Plant', '20260615T080000', zone).start).toBe('2026-06-15T07:00');
  });

  it.each([
    ['no observance', describeZone('Plant')],
    ['no offsets', describeZone('Plant', ['BEGIN:STANDARD', 'DTSTART:19700101T000000', 'END:STANDARD'])],
    ['an offset without a sign', describeZone('Plant', observance('STANDARD', '19700101T000000', '0200', '0200'))],
    ['an unreadable line', describeZone('Plant', [...(berlin[0] ?? []), 'nothing'])],
    ['an observance without a start', describeZone('Plant', ['BEGIN:STANDARD', 'TZOFFSETFROM:+0100', 'END:STANDARD'])],
    ['no end', describeZone('Plant', ...berlin).slice(0, -1)],
  ])('is unknown if its description has %s', (_, zone) => {
    const { start, warnings } = readStart(';TZID=Plant', '20260112T080000', zone);
    expect(start).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringContaining('The description of the time zone "Plant" was skipped: '),
      'The event "A" of 2026-01-12 08:00 was skipped: its time zone "Plant" is unknown.',
    ]);
  });

  it('is replaced by the zone of that name on Windows if its description cannot be read', () => {
    const name = 'W. Europe Standard Time';
    const { start, warnings } = readStart(`;TZID=${name}`, '20260715T080000', describeZone(name));
    expect(start).toBe('2026-07-15T06:00');
    expect(warnings).toHaveLength(1);
  });

  it('does no harm if nothing uses it', () => {
    expect(readStart('', '20260112T080000', describeZone('Plant', ['nothing'])).warnings).toEqual([]);
  });
});

describe('name of a time zone', () => {
  const summer = '20260715T080000';
  it.each([
    ['Europe/Berlin', '2026-07-15T06:00'],
    ['europe/berlin', '2026-07-15T06:00'],
    ['" Europe/Berlin "', '2026-07-15T06:00'],
    ['/example.org/20260101_1/Europe/Berlin', '2026-07-15T06:00'],
    ['/path/America/Argentina/Buenos_Aires', '2026-07-15T11:00'],
    ['W. Europe Standard Time', '2026-07-15T06:00'],
    ['south africa standard time', '2026-07-15T06:00'],
    ['EST', '2026-07-15T13:00'],
    ['tzone://Microsoft/Utc', '2026-07-15T08:00'],
    ['"tzone://Microsoft/Utc"', '2026-07-15T08:00'],
  ])('is read without a description: %s', (name, expected) => {
    expect(readStart(`;TZID=${name}`, summer)).toEqual({ start: expected, warnings: [] });
  });

  it.each(['EST', 'GMT', 'HST', 'SAST', 'Custom', 'tzone://Microsoft/Custom', 'CUSTOMIZED TIME ZONE'])(
    'a zone name without a known region means first what the feed describes: %s',
    (name) => {
      expect(readStart(`;TZID=${name}`, summer, describeZone(name.toLowerCase(), ...berlin)).start).toBe(
        '2026-07-15T06:00',
      );
    },
  );

  it('a zone name with a known region does not mean what the feed describes, which may be outdated', () => {
    const zone = describeZone('Europe/Berlin', observance('STANDARD', '19700101T000000', '+0500', '+0500'));
    expect(readStart(';TZID=Europe/Berlin', summer, zone)).toEqual({ start: '2026-07-15T06:00', warnings: [] });
  });

  it.each([
    ['"(UTC+02:00) Harare, Pretoria"', '2026-07-15T06:00'],
    ['(UTC+02:00) Harare, Pretoria', '2026-07-15T06:00'],
    ['GMT+0200', '2026-07-15T06:00'],
    ['(GMT-05:30) Somewhere', '2026-07-15T13:30'],
    ['+02:00', '2026-07-15T06:00'],
  ])('for people counts by its offset, with a warning: %s', (name, expected) => {
    const { start, warnings } = readStart(`;TZID=${name}`, summer);
    expect(start).toBe(expected);
    expect(warnings).toEqual([
      expect.stringMatching(/^The time zone ".*" is unknown\. Its offset was used, all year\.$/),
    ]);
  });

  it.each(['SAST', 'Customized Time Zone', 'tzone://Microsoft/Custom', 'Mars/Olympus'])(
    'a zone name that nothing explains costs its event: %s',
    (name) => {
      expect(readStart(`;TZID=${name}`, summer)).toEqual({
        start: undefined,
        warnings: [`The event "A" of 2026-07-15 08:00 was skipped: its time zone "${name}" is unknown.`],
      });
    },
  );

  it('is known for every zone of Windows', () => {
    for (const zone of Object.values(windowsZones)) expect(findZoneClock(zone), zone).toBeDefined();
  });
});

describe('time zone of a calendar', () => {
  it.each([
    ['for times without a zone', '', '20260115T080000', '2026-01-15T13:00'],
    ['for whole days', ';VALUE=DATE', '20260115', '2026-01-15T05:00'],
    ['not for UTC', '', '20260115T080000Z', '2026-01-15T08:00'],
    ['not for times with a zone', ';TZID=Europe/Berlin', '20260115T080000', '2026-01-15T07:00'],
  ])('is used %s', (_, parameter, start, expected) => {
    const lines = ['X-WR-TIMEZONE:America/New_York'];
    expect(readStart(parameter, start, lines)).toEqual({ start: expected, warnings: [] });
  });

  it('is the environment’s if it is unknown, with a warning', () => {
    expect(readStart('', '20260115T080000', ['X-WR-TIMEZONE:Mars/Olympus'])).toEqual({
      start: '2026-01-15T06:00',
      warnings: [`The calendar's time zone "Mars/Olympus" is unknown. Africa/Johannesburg was used instead.`],
    });
  });
});
