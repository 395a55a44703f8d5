import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expandCalendar } from './expand-calendar.ts';
import { calendar, event, year } from './feed-text.fixture.ts';
import { unpackShifts } from './packed-shifts.ts';

const zone = [
  ...['BEGIN:VTIMEZONE', 'TZID:Head Office', 'BEGIN:STANDARD', 'DTSTART:19701025T030000'],
  ...['RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100', 'END:STANDARD'],
  ...['BEGIN:DAYLIGHT', 'DTSTART:19700329T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'],
  ...['TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'END:DAYLIGHT', 'END:VTIMEZONE'],
];

/** Events of every kind that have nothing in common, each with its own name. */
const events = [
  event('UID:a', 'SUMMARY:A', 'DTSTART:20260105T080000Z', 'DTEND:20260112T080000Z', 'RRULE:FREQ=WEEKLY;INTERVAL=3'),
  event('UID:b', 'SUMMARY:B', 'DTSTART;VALUE=DATE:20260112', 'DTEND;VALUE=DATE:20260119', 'EXDATE;VALUE=DATE:20260202'),
  event(
    ...['UID:c', 'SUMMARY:C', 'DTSTART;TZID=Europe/Berlin:20260119T080000', 'DURATION:P7D', 'STATUS:CONFIRMED'],
    ...['BEGIN:VALARM', 'TRIGGER:-PT15M', 'ACTION:DISPLAY', 'END:VALARM', 'RRULE:FREQ=MONTHLY;BYDAY=1MO;COUNT=6'],
  ),
  event('UID:d', 'SUMMARY:D', 'DTSTART;TZID="Head Office":20260126T080000', 'DURATION:PT9H', 'RDATE:20260202T080000Z'),
  event(
    'UID:e',
    'DTSTART:20260201T080000',
    'DTEND:20260201T170000',
    'ATTENDEE;CN=E;PARTSTAT=ACCEPTED:mailto:e@example.com',
  ),
];
const lines = calendar(...zone, ...events)
  .trimEnd()
  .split('\r\n');
const firstEvent = lines.indexOf('BEGIN:VEVENT');
/** Without this line, a calendar looks like one that is cut off, or like anything else. */
const frame = ['BEGIN:VCALENDAR', 'END:VCALENDAR'];

const readFeed = (text: string) => {
  const { shifts, warnings, bugs } = expandCalendar(text, [year(2026)], 'Africa/Johannesburg');
  expect(bugs).toEqual([]);
  return { turns: unpackShifts(shifts)[0] ?? [], warnings };
};
const whole = readFeed(lines.join('\r\n'));

/** The name of the event that a line is in. */
function findName(index: number): string | undefined {
  const begins = lines.lastIndexOf('BEGIN:VEVENT', index);
  return index < firstEvent
    ? undefined
    : 'ABCDE'[lines.slice(0, begins + 1).filter((line) => line === 'BEGIN:VEVENT').length - 1];
}

const garbage = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    ':',
    ';',
    '"',
    ';;=',
    'BEGIN:',
    'END:',
    'BEGIN:VALARM',
    'END:VALARM',
    'END:VEVENT',
    'BEGIN:VEVENT',
    '\u0000',
  ),
);
const damage = fc
  .record({
    index: fc.nat({ max: lines.length - 1 }),
    kind: fc.constantFrom('replace', 'cut', 'insert', 'delete', 'double', 'lower'),
    at: fc.nat({ max: 60 }),
    text: garbage.map((text) => text.replaceAll(/[\r\n]/g, '')),
  })
  .filter(({ index }) => !frame.includes(lines[index] ?? ''));

function damageLine(line: string, kind: string, at: number, text: string): string {
  const place = at % (line.length + 1);
  if (kind === 'replace') return text;
  if (kind === 'cut') return line.slice(0, place);
  if (kind === 'delete') return line.slice(0, place) + line.slice(place + 1);
  if (kind === 'insert') return line.slice(0, place) + text + line.slice(place);
  return kind === 'double' ? `${line}\r\n${line}` : line.toLowerCase();
}

it('calendar keeps all other events, whatever line is damaged and how', () => {
  fc.assert(
    fc.property(damage, ({ index, kind, at, text }) => {
      const damaged = lines.map((line, other) => (other === index ? damageLine(line, kind, at, text) : line));
      const { turns } = readFeed(damaged.join('\r\n'));
      // A blank at the start of a line makes it a part of the one before.
      const names = [findName(index), findName(index - 1), ...(index < firstEvent ? ['D'] : [])];
      const others = (of: typeof turns) => of.filter(({ name }) => 'ABCDE'.includes(name) && !names.includes(name));
      expect(others(turns)).toEqual(others(whole.turns));
    }),
    { numRuns: 1_000 },
  );
});

it('calendar loses only the event of a line without a colon, which a warning names', () => {
  for (const [index, line] of lines.entries()) {
    const name = findName(index);
    const isInAlarm = /TRIGGER|ACTION/.test(line);
    if (frame.includes(line) || name === undefined || isInAlarm) continue;
    const damaged = lines.with(index, line.replaceAll(':', ''));
    const { turns, warnings } = readFeed(damaged.join('\r\n'));
    expect(turns, line).toEqual(whole.turns.filter((turn) => turn.name !== name));
    expect(warnings.join(), line).toContain('was skipped');
  }
});
