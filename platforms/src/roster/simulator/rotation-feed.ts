/** iCalendar feeds as people keep them for their teams: a week each in turn, with swaps, and days nobody has thought of. */
import { DateTime } from 'luxon';

export interface Rotation {
  readonly timeZone: string;
  /** In the order of their weeks. */
  readonly people: readonly string[];
  /** Weeks from now that somebody else takes, by their number; 0 is this one. */
  readonly swaps: Readonly<Record<number, string>>;
  /** The week whose turn ends on Saturday at 18:00, so that nobody is there until Monday. */
  readonly shortWeek?: number;
}

/** Weeks begin on Monday at 08:00, and began half a year ago. */
const hour = 8;
const weeksBefore = 26;

export function writeRotationFeed({ timeZone, people, swaps, shortWeek }: Rotation, now: Date): string {
  const thisWeek = DateTime.fromJSDate(now, { zone: timeZone }).startOf('week').set({ hour });
  const weekOf = (week: number) => thisWeek.plus({ weeks: week });
  const first = -weeksBefore - (weeksBefore % people.length);
  const uidOf = (week: number) =>
    `turn-${(((week - first) % people.length) + people.length) % people.length}@roster.example.com`;
  const turns = people.map((name, index) => [
    `UID:${uidOf(first + index)}`,
    `DTSTAMP:20260101T000000Z`,
    `DTSTART;TZID=${timeZone}:${local(weekOf(first + index))}`,
    `DTEND;TZID=${timeZone}:${local(weekOf(first + index + 1))}`,
    `RRULE:FREQ=WEEKLY;INTERVAL=${people.length}`,
    `SUMMARY:${name}`,
  ]);
  const instead = (week: number, name: string, end: DateTime) => [
    `UID:${uidOf(week)}`,
    `DTSTAMP:20260101T000000Z`,
    `RECURRENCE-ID;TZID=${timeZone}:${local(weekOf(week))}`,
    `DTSTART;TZID=${timeZone}:${local(weekOf(week))}`,
    `DTEND;TZID=${timeZone}:${local(end)}`,
    `SUMMARY:${name}`,
  ];
  const swapped = Object.entries(swaps).map(([week, name]) => instead(Number(week), name, weekOf(Number(week) + 1)));
  const short =
    shortWeek === undefined
      ? []
      : [instead(shortWeek, nameIn(people, shortWeek - first), weekOf(shortWeek).plus({ days: 5 }).set({ hour: 18 }))];
  return writeCalendar([...turns, ...swapped, ...short]);
}

/** The lines of each event, without its BEGIN and END. */
export function writeCalendar(events: readonly (readonly string[])[]): string {
  const lines = events.flatMap((event) => ['BEGIN:VEVENT', ...event, 'END:VEVENT']);
  return `${['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//Roster//EN', ...lines, 'END:VCALENDAR'].join('\r\n')}\r\n`;
}

function nameIn(people: readonly string[], turn: number): string {
  return people[turn % people.length] ?? '';
}

function local(time: DateTime): string {
  return time.toFormat("yyyyMMdd'T'HHmmss");
}
