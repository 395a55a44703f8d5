import { describe, expect, it } from 'vitest';
import { calendar, event, readFeed, readTurns } from './feed-text.fixture.ts';

const good = event('UID:good', 'SUMMARY:Good', 'DTSTART:20260201T080000Z', 'DURATION:PT1H');
const goodTurn = 'Good 2026-02-01T08:00';
const start = 'DTSTART:20260105T080000Z';
const daily = (rule: string, ...lines: string[]) =>
  event('UID:1', 'SUMMARY:Bad', start, 'DURATION:PT1H', `RRULE:${rule}`, ...lines);

describe('unreadable event', () => {
  it.each([
    ['it has no start', event('UID:1', 'SUMMARY:Bad')],
    ['DTSTART is not a valid time', event('UID:1', 'SUMMARY:Bad', 'DTSTART:20260230T080000Z')],
    ['DTEND is not a valid time', event('UID:1', 'SUMMARY:Bad', start, 'DTEND:soon')],
    ['DURATION is not valid', event('UID:1', 'SUMMARY:Bad', start, 'DURATION:P')],
    ['it ends before it starts', event('UID:1', 'SUMMARY:Bad', start, 'DTEND:20260104T080000Z')],
    ['EXDATE is not a valid time', daily('FREQ=DAILY', 'EXDATE:20260106T080000Z,x')],
    ['RDATE is not a valid time', daily('FREQ=DAILY', 'RDATE;VALUE=PERIOD:20260106T080000Z/later')],
    ['RECURRENCE-ID is not a valid time', event('UID:1', 'SUMMARY:Bad', start, 'RECURRENCE-ID:x')],
    ['one of its lines has no name and value: SUMMARY', event('UID:1', 'SUMMARY:Bad', start, 'SUMMARY')],
    ['one of its lines has no name and value: A"B:C', event('UID:1', 'SUMMARY:Bad', start, 'A"B:C')],
    ['it has no end', event('UID:1', 'SUMMARY:Bad', start).replace('END:VEVENT', 'X-NOTHING:')],
    ['it has no beginning', event('UID:1', 'SUMMARY:Bad', start).replace('BEGIN:VEVENT', 'BEGIN:VEVEN')],
    ['it has no beginning', event('UID:1', 'SUMMARY:Bad', start).replace('BEGIN:VEVENT', 'BEGINVEVENT')],
    ['it has an end of VALARM without a beginning', event('UID:1', 'SUMMARY:Bad', start, 'END:VALARM')],
    ['one of its parts has no end', event('UID:1', 'SUMMARY:Bad', start, 'BEGIN:VALARM', 'TRIGGER:-PT5M')],
  ])('costs only itself, with a warning that names it: %s', (reason, bad) => {
    for (const events of [
      [bad, good],
      [good, bad],
    ]) {
      const { turns, warnings } = readFeed(calendar(...events));
      expect(turns).toEqual([goodTurn]);
      expect(warnings.at(-1)).toMatch(/^The event "Bad"( of [\d :-]+)? was skipped: .*\.$/);
      expect(warnings.at(-1)).toContain(`: ${reason}`);
    }
  });

  it.each([
    ['FREQ=SOMETIMES', 'has an invalid FREQ'],
    ['INTERVAL=2', 'has an invalid FREQ'],
    ['FREQ=DAILY;INTERVAL=0', 'has an invalid INTERVAL'],
    ['FREQ=DAILY;COUNT=0', 'has an invalid COUNT'],
    ['FREQ=DAILY;UNTIL=20260230', 'has an invalid UNTIL'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'has an invalid BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'has an invalid BYMONTHDAY'],
    ['FREQ=WEEKLY;BYDAY=XX', 'has an invalid BYDAY'],
    ['FREQ=WEEKLY;BYDAY=', 'has an invalid BYDAY'],
    ['FREQ=WEEKLY;WKST=XX', 'has an invalid WKST'],
    ['FREQ=WEEKLY;BYDAY=MO;BYDAY=TU', 'has BYDAY twice'],
    ['FREQ=YEARLY;BYEASTER=1', 'has an invalid BYEASTER'],
    ['FREQ=YEARLY;BYWEEKNO=20', 'has BYWEEKNO without BYDAY, which calendars read differently'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO', 'has BYWEEKNO and BYDAY with a number, which is not allowed'],
    ['FREQ=MONTHLY;BYWEEKNO=20;BYDAY=MO', 'has BYWEEKNO, which is not allowed with FREQ=MONTHLY'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'has BYMONTHDAY, which is not allowed with FREQ=WEEKLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'has BYYEARDAY, which is not allowed with FREQ=DAILY'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'has BYDAY with a number, which is not allowed with FREQ=WEEKLY'],
    ['FREQ=DAILY;RSCALE=CHINESE', 'has RSCALE, which is only supported with GREGORIAN'],
    ['FREQ=YEARLY;SKIP=FORWARD;RSCALE=GREGORIAN', 'has SKIP, which is only supported with OMIT'],
  ])('is one whose rule RFC 5545 forbids: %s', (rule, reason) => {
    const { turns, warnings } = readFeed(calendar(daily(rule), good));
    expect(turns).toEqual([goodTurn]);
    expect(warnings).toEqual([`The event "Bad" of 2026-01-05 08:00 was skipped: its recurrence rule ${reason}.`]);
  });

  it('leaves out the turn it was to replace, since its person may have swapped it', () => {
    const swap = event('UID:1', 'SUMMARY:Swap', 'RECURRENCE-ID:20260106T080000Z', 'DTSTART:x', 'DURATION:PT1H');
    const { turns, warnings } = readFeed(calendar(daily('FREQ=DAILY;COUNT=3'), swap));
    expect(turns).toEqual(['Bad 2026-01-05T08:00', 'Bad 2026-01-07T08:00']);
    expect(warnings).toEqual(['The event "Swap" was skipped: DTSTART is not a valid time.']);
  });

  it('is named by its UID, or else not', () => {
    expect(readFeed(calendar(good, event('UID:7@example.org'), event())).warnings).toEqual([
      'The event "7@example.org" was skipped: it has no start.',
      'An event without a name was skipped: it has no start.',
    ]);
  });

  it('is counted when there are too many to list', () => {
    const { warnings } = readFeed(calendar(good, ...Array.from({ length: 30 }, () => event('UID:1'))));
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('There are 10 more warnings.');
  });

  it.each([
    ['never matches', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', ['Bad 2026-01-05T08:00', goodTurn], 0],
    [
      'never matches and is counted',
      'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2;COUNT=5',
      ['Bad 2026-01-05T08:00', goodTurn],
      0,
    ],
    ['repeats every two minutes', 'FREQ=MINUTELY;INTERVAL=2', [goodTurn], 1],
    ['repeats every second', 'FREQ=SECONDLY', [goodTurn], 1],
    [
      'has millions of times a year',
      `FREQ=YEARLY;BYYEARDAY=1,2;BYHOUR=${listUpTo(23)};BYMINUTE=${listUpTo(59)};BYSECOND=${listUpTo(59)}`,
      [goodTurn],
      1,
    ],
  ])('ends the search of a rule that %s', (_, rule, turns, warnings) => {
    const read = readFeed(calendar(daily(rule), good));
    expect(read.turns).toEqual(turns);
    expect(read.warnings).toHaveLength(warnings);
  });

  it('does not use up the steps of the events after it', () => {
    const bad = Array.from({ length: 60 }, () => daily('FREQ=SECONDLY').replace('UID:1\r\n', ''));
    const weekly = event('UID:2', 'SUMMARY:Weekly', start, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY');
    const { turns } = readFeed(calendar(...bad, weekly));
    expect(turns).toHaveLength(52);
  });
});

function listUpTo(max: number): string {
  return Array.from({ length: max + 1 }, (_, index) => index).join();
}

describe('calendar that is refused as a whole', () => {
  it.each([
    ['is cut off', calendar(good).slice(0, -20), 'it is not valid iCalendar (VCALENDAR does not end)'],
    ['is cut off within an event', calendar(good).slice(0, 100), 'it is not valid iCalendar (VCALENDAR does not end)'],
    ['is cut off in its second calendar', `${calendar(good)}BEGIN:VCALENDAR\r\n`, 'VCALENDAR does not end'],
    ['is no calendar', '<html></html>', 'it is not valid iCalendar (it has no VCALENDAR)'],
    ['has only unreadable events', calendar(event('UID:1')), 'none of its events can be read: it has no start'],
  ])('%s', (_, text, problem) => {
    expect(() => readFeed(text)).toThrow(problem);
  });

  it('is not one that is empty', () => {
    expect(readFeed(calendar())).toEqual({ turns: [], warnings: [] });
  });
});

describe('calendar as programs write it', () => {
  const times = ['20260105T080000Z', '20260106T080000Z'];

  it.each([
    ['rules in lower case', calendar(daily('freq=daily;byday=mo,tu;count=2'))],
    ['a rule with blanks and empty parts', calendar(daily(' FREQ = DAILY ;; COUNT=2 ; '))],
    ['a rule with a part of its own', calendar(daily('FREQ=DAILY;COUNT=2;X-EXTRA=1'))],
    ['exclusions with blanks', calendar(daily('FREQ=DAILY;COUNT=4', 'EXDATE: 20260107T080000Z, 20260108T080000Z'))],
    ['empty exclusions', calendar(daily('FREQ=DAILY;COUNT=3', 'EXDATE:', 'EXDATE:,20260107T080000Z,', 'RDATE:'))],
    [
      'exception rules',
      calendar(
        daily(
          'FREQ=DAILY;COUNT=14',
          'EXRULE:FREQ=DAILY;BYDAY=WE,TH,FR,SA,SU;COUNT=11',
          'EXDATE:20260112T080000Z,20260113T080000Z',
          'EXDATE:20260118T080000Z',
        ),
      ),
    ],
    [
      'components in lower case',
      calendar(daily('FREQ=DAILY;COUNT=2')).replaceAll(/(BEGIN|END):(\w+)/g, (line) => line.toLowerCase()),
    ],
    ['times in lower case', calendar(daily('FREQ=DAILY;COUNT=2').toLowerCase().replace('bad', 'Bad'))],
    ['blanks around a time', calendar(daily('FREQ=DAILY;COUNT=2').replace(start, 'DTSTART : 20260105T080000Z '))],
    ['text after the calendar', `${calendar(daily('FREQ=DAILY;COUNT=2'))}\r\n<!-- generated -->\r\n`],
    ['text before the calendar', `generated\r\n${calendar(daily('FREQ=DAILY;COUNT=2'))}`],
    ['carriage returns only', calendar(daily('FREQ=DAILY;COUNT=2')).replaceAll('\r\n', '\r')],
    [
      'other components',
      calendar('BEGIN:VTODO', start, 'UID:9', 'END:VTODO', 'BEGIN:X-A', start, 'END:X-A', daily('FREQ=DAILY;COUNT=2')),
    ],
  ])('is read with %s', (_, text) => {
    expect(readFeed(text)).toEqual({
      turns: times.map((time) => `Bad ${time.replace(/(....)(..)(..)T(..)(..).*/, '$1-$2-$3T$4:$5')}`),
      warnings: [],
    });
  });

  it('is read with periods, which have their own lengths', () => {
    const text = calendar(
      daily('FREQ=DAILY;COUNT=1', 'RDATE;VALUE=PERIOD:20260110T080000Z/PT5H,20260111T080000Z/20260111T090000Z'),
    );
    expect(readTurns(text)).toEqual([
      'Bad 2026-01-05T08:00:00.000Z 2026-01-05T09:00:00.000Z',
      'Bad 2026-01-10T08:00:00.000Z 2026-01-10T13:00:00.000Z',
      'Bad 2026-01-11T08:00:00.000Z 2026-01-11T09:00:00.000Z',
    ]);
  });

  it('is read with the end of an event that also has a duration', () => {
    const text = calendar(event('UID:1', 'SUMMARY:A', start, 'DURATION:PT1H', 'DTEND:20260112T080000Z'));
    expect(readTurns(text)).toEqual(['A 2026-01-05T08:00:00.000Z 2026-01-12T08:00:00.000Z']);
  });

  it('is read without control characters in names', () => {
    const text = calendar(event('UID:1', 'SUMMARY:Th\u0000abo\u0007\\n\tMokoena\u0085', start, 'DURATION:PT1H'));
    expect(readFeed(text).turns).toEqual(['Thabo Mokoena 2026-01-05T08:00']);
  });

  it('is read without lines that belong to no event, which it counts', () => {
    expect(readFeed(calendar('nothing', good))).toEqual({
      turns: [goodTurn],
      warnings: ['Lines outside of events were skipped, because they have no name and value: 1.'],
    });
  });
});
