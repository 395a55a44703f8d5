import { describe, expect, it } from 'vitest';
import { expandCalendar } from './expand-calendar.ts';
import { calendar, event, readTurns, year } from './feed-text.fixture.ts';
import { unpackShifts } from './packed-shifts.ts';

const span = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
const readShifts = (...of: Parameters<typeof expandCalendar>) => unpackShifts(expandCalendar(...of).shifts);

describe('calendar times', () => {
  it('use the zone they name, UTC, or the environment’s zone', () => {
    const text = calendar(
      event(
        'UID:1',
        'SUMMARY:Named',
        'DTSTART;TZID=Africa/Lusaka:20260105T080000',
        'DTEND;TZID=Africa/Lusaka:20260105T170000',
      ),
      event('UID:2', 'SUMMARY:Utc', 'DTSTART:20260106T080000Z', 'DTEND:20260106T170000Z'),
      event('UID:3', 'SUMMARY:Floating', 'DTSTART:20260107T080000', 'DURATION:PT9H'),
      event('UID:4', 'SUMMARY:Whole days', 'DTSTART;VALUE=DATE:20260108', 'DTEND;VALUE=DATE:20260110'),
      event('UID:5', 'SUMMARY:One day', 'DTSTART;VALUE=DATE:20260112'),
    );
    expect(readTurns(text)).toEqual([
      'Named 2026-01-05T06:00:00.000Z 2026-01-05T15:00:00.000Z',
      'Utc 2026-01-06T08:00:00.000Z 2026-01-06T17:00:00.000Z',
      'Floating 2026-01-07T06:00:00.000Z 2026-01-07T15:00:00.000Z',
      'Whole days 2026-01-07T22:00:00.000Z 2026-01-09T22:00:00.000Z',
      'One day 2026-01-11T22:00:00.000Z 2026-01-12T22:00:00.000Z',
    ]);
  });

  it('use a zone that only the feed describes', () => {
    const zone = [
      'BEGIN:VTIMEZONE',
      'TZID:Head Office',
      ...['BEGIN:STANDARD', 'DTSTART:19701025T030000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'],
      ...['TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100', 'END:STANDARD'],
      ...['BEGIN:DAYLIGHT', 'DTSTART:19700329T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'],
      ...['TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'END:DAYLIGHT'],
      'END:VTIMEZONE',
    ];
    const at = (day: string) => [`DTSTART;TZID=Head Office:${day}T080000`, `DTEND;TZID=Head Office:${day}T090000`];
    const text = calendar(
      ...zone,
      event('UID:1', 'SUMMARY:Winter', ...at('20260115')),
      event('UID:2', 'SUMMARY:Summer', ...at('20260715')),
    );
    expect(readTurns(text)).toEqual([
      'Winter 2026-01-15T07:00:00.000Z 2026-01-15T08:00:00.000Z',
      'Summer 2026-07-15T06:00:00.000Z 2026-07-15T07:00:00.000Z',
    ]);
  });

  it('reject an unknown zone', () => {
    const text = calendar(event('UID:1', 'SUMMARY:A', 'DTSTART;TZID=Mars/Olympus:20260105T080000', 'DURATION:PT1H'));
    expect(() => readTurns(text)).toThrow('its time zone "Mars/Olympus" is unknown');
  });
});

describe('calendar recurrence', () => {
  it.each([
    // Clocks go forward on 29 March 2026 in London, on 8 March in New York.
    ['Europe/London', '20260323', ['2026-03-23T08:00', '2026-03-30T07:00', '2026-04-06T07:00']],
    ['America/New_York', '20260302', ['2026-03-02T13:00', '2026-03-09T12:00', '2026-03-16T12:00']],
    // And back on 25 October, on 1 November.
    ['Europe/London', '20261019', ['2026-10-19T07:00', '2026-10-26T08:00', '2026-11-02T08:00']],
    ['America/New_York', '20261019', ['2026-10-19T12:00', '2026-10-26T12:00', '2026-11-02T13:00']],
  ])('keeps handoffs at 08:00 in %s across daylight saving changes', (zone, monday, starts) => {
    const text = calendar(
      event(
        'UID:1',
        'SUMMARY:A',
        `DTSTART;TZID=${zone}:${monday}T080000`,
        `DTEND;TZID=${zone}:${Number(monday) + 7}T080000`,
        'RRULE:FREQ=WEEKLY;COUNT=3',
      ),
    );
    const [shifts = []] = readShifts(text, [year(2026)], 'UTC');
    expect(shifts.map(({ start }) => start.toISOString().slice(0, 16))).toEqual(starts);
    for (const [index, { end }] of shifts.slice(0, -1).entries()) expect(end).toEqual(shifts[index + 1]?.start);
  });

  it('expands an endless rule only for the requested span, wherever it started', () => {
    const text = calendar(
      event(
        'UID:1',
        'SUMMARY:A',
        'DTSTART;TZID=Europe/London:19980105T080000',
        'DURATION:P7D',
        'RRULE:FREQ=WEEKLY;INTERVAL=2',
      ),
    );
    expect(readTurns(text, span('2026-06-01T12:00Z', '2026-06-16T00:00Z'))).toEqual([
      'A 2026-06-01T07:00:00.000Z 2026-06-08T07:00:00.000Z',
      'A 2026-06-15T07:00:00.000Z 2026-06-22T07:00:00.000Z',
    ]);
  });

  it('returns a shift across New Year for both years', () => {
    const text = calendar(event('UID:1', 'SUMMARY:A', 'DTSTART:20261228T060000Z', 'DTEND:20270104T060000Z'));
    const [first, second] = readShifts(text, [year(2026), year(2027)], 'UTC');
    expect(first).toEqual(second);
    expect(first).toMatchObject([{ start: new Date('2026-12-28T06:00Z'), end: new Date('2027-01-04T06:00Z') }]);
  });

  it('excludes, adds, moves, and cancels single occurrences', () => {
    const at = (day: string) => `;TZID=Africa/Johannesburg:${day}T080000`;
    const text = calendar(
      event(
        'UID:1',
        'SUMMARY:Thabo',
        `DTSTART${at('20260105')}`,
        `DTEND${at('20260106')}`,
        'RRULE:FREQ=DAILY;UNTIL=20260109T060000Z',
        `EXDATE${at('20260106')}`,
        `RDATE${at('20260120')}`,
      ),
      event(
        'UID:1',
        'SUMMARY:Naledi',
        `RECURRENCE-ID${at('20260107')}`,
        `DTSTART${at('20260110')}`,
        `DTEND${at('20260111')}`,
      ),
      event(
        'UID:1',
        'SUMMARY:Thabo',
        `RECURRENCE-ID${at('20260108')}`,
        `DTSTART${at('20260108')}`,
        `DTEND${at('20260109')}`,
        'STATUS:CANCELLED',
      ),
    );
    expect(readTurns(text)).toEqual([
      'Thabo 2026-01-05T06:00:00.000Z 2026-01-06T06:00:00.000Z',
      'Thabo 2026-01-09T06:00:00.000Z 2026-01-10T06:00:00.000Z',
      'Naledi 2026-01-10T06:00:00.000Z 2026-01-11T06:00:00.000Z',
      'Thabo 2026-01-20T06:00:00.000Z 2026-01-21T06:00:00.000Z',
    ]);
  });

  it('changes all occurrences from one on', () => {
    const text = calendar(
      event('UID:1', 'SUMMARY:A', 'DTSTART:20260105T080000Z', 'DURATION:PT8H', 'RRULE:FREQ=DAILY;COUNT=4'),
      event(
        'UID:1',
        'SUMMARY:B',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20260107T080000Z',
        'DTSTART:20260107T100000Z',
        'DURATION:PT2H',
      ),
    );
    expect(readTurns(text)).toEqual([
      'A 2026-01-05T08:00:00.000Z 2026-01-05T16:00:00.000Z',
      'A 2026-01-06T08:00:00.000Z 2026-01-06T16:00:00.000Z',
      'B 2026-01-07T10:00:00.000Z 2026-01-07T12:00:00.000Z',
      'B 2026-01-08T10:00:00.000Z 2026-01-08T12:00:00.000Z',
    ]);
  });

  it('rejects rules that yield too many events', () => {
    const text = calendar(
      event('UID:1', 'SUMMARY:A', 'DTSTART:20200105T080000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY'),
    );
    expect(() => readTurns(text)).toThrow('its recurrence rules yield too many events');
  });
});

describe('calendar shift names', () => {
  it('use the summary, or else the attendee', () => {
    const when = ['DTSTART:20260105T080000Z', 'DURATION:PT1H'];
    const text = calendar(
      event('UID:1', 'SUMMARY:  Thabo   Mokoena ', 'ATTENDEE;CN=Other:mailto:a@example.com', ...when),
      event('UID:2', 'SUMMARY:', 'ATTENDEE;CN="Naledi Khumalo":mailto:n@example.com', ...when),
      event('UID:3', ...when),
    );
    expect(readTurns(text).map((turn) => turn.slice(0, -50))).toEqual(['Naledi Khumalo', 'Thabo Mokoena']);
  });
});

describe('invalid calendar', () => {
  it.each([
    ['', 'it is not valid iCalendar'],
    ['<!doctype html><html></html>', 'it is not valid iCalendar'],
    ['{"hello": "there"}', 'it is not valid iCalendar'],
    ['BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nEND:VCARD', 'it has no VCALENDAR'],
    ['BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260105T080000Z', 'it is not valid iCalendar'],
    [calendar(event('UID:1', 'SUMMARY:A')), 'none of its events can be read: it has no start'],
    [calendar(event('UID:1', 'DTSTART:soon', 'DURATION:PT1H')), 'DTSTART is not a valid time'],
    [
      calendar(event('UID:1', 'DTSTART:20260105T080000Z', 'DURATION:PT1H', 'RRULE:FREQ=SOMETIMES')),
      'its recurrence rule has an invalid FREQ',
    ],
  ])('rejects an invalid feed: %j', (text, message) => {
    expect(() => readTurns(text)).toThrow(message);
  });

  it('returns no shifts for events without a duration', () => {
    const text = calendar(
      event('UID:1', 'SUMMARY:A', 'DTSTART:20260105T080000Z'),
      event('UID:2', 'SUMMARY:B', 'DTSTART:20260105T080000Z', 'DTEND:20260105T070000Z'),
    );
    expect(readTurns(text)).toEqual([]);
  });
});
