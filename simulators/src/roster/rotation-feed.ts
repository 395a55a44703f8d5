/**
 * Writes iCalendar feeds as teams maintain them: weekly rotations with swaps and uncovered days.
 */
import { DateTime } from 'luxon';

interface Rotation {
  readonly timeZone: string;
  /** In the order of their weeks, repeated forever. */
  readonly people: readonly string[];
  /** Every this many weeks, another person covers the shift. */
  readonly swapEvery: number;
  /**
   * In the weeks after those, the shift ends on Saturday at 18:00, and no one is on call until
   * Monday.
   */
  readonly shortEvery?: number;
}

/** Weeks are numbered from this Monday and start at 08:00. */
const firstMonday = '1970-01-05T08:00';
const weeksBefore = 60;
const weeksAfter = 60;

export function writeRotationFeed({ timeZone, people, swapEvery, shortEvery }: Rotation, now: Date): string {
  const getWeek = (week: number) => DateTime.fromISO(firstMonday, { zone: timeZone }).plus({ weeks: week });
  const thisWeek = Math.floor(DateTime.fromJSDate(now).diff(getWeek(0), 'weeks').weeks);
  const getPerson = (week: number) => people[week % people.length] ?? '';
  const getTurn = (week: number, name: string, end: DateTime) => [
    `UID:turn-${week % people.length}@roster.example.com`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART;TZID=${timeZone}:${local(getWeek(week))}`,
    `DTEND;TZID=${timeZone}:${local(end)}`,
    `SUMMARY:${name}`,
  ];
  const weeks = Array.from({ length: weeksBefore + weeksAfter }, (_, index) => thisWeek - weeksBefore + index);
  const turns = weeks
    .slice(0, people.length)
    .map((week) => [
      ...getTurn(week, getPerson(week), getWeek(week + 1)),
      `RRULE:FREQ=WEEKLY;INTERVAL=${people.length}`,
    ]);
  const instead = weeks.flatMap((week) => {
    const replaced = `RECURRENCE-ID;TZID=${timeZone}:${local(getWeek(week))}`;
    if (week % swapEvery === 0) return [[...getTurn(week, getPerson(week + 2), getWeek(week + 1)), replaced]];
    if (shortEvery === undefined || week % shortEvery !== 1) return [];
    return [[...getTurn(week, getPerson(week), getWeek(week).plus({ days: 5, hours: 10 })), replaced]];
  });
  return writeCalendar([...turns, ...instead]);
}

/** The lines of each event, without BEGIN and END. */
export function writeCalendar(events: readonly (readonly string[])[]): string {
  const lines = events.flatMap((event) => ['BEGIN:VEVENT', ...event, 'END:VEVENT']);
  return `${['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//Roster//EN', ...lines, 'END:VCALENDAR'].join('\r\n')}\r\n`;
}

function local(time: DateTime): string {
  return time.toFormat("yyyyMMdd'T'HHmmss");
}
