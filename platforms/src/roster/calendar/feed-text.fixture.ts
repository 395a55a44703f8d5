import { expandCalendar } from './expand-calendar.ts';
import { unpackShifts } from './packed-shifts.ts';

export const year = (number: number) => ({
  from: new Date(Date.UTC(number, 0, 1)),
  to: new Date(Date.UTC(number + 1, 0, 1)),
});

export function calendar(...lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

export function event(...lines: readonly string[]): string {
  return ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n');
}

/** Formats shifts as "name start end" for readable failures. */
export function readTurns(text: string, where = year(2026), timeZone = 'Africa/Johannesburg'): string[] {
  const [shifts = []] = unpackShifts(expandCalendar(text, [where], timeZone).shifts);
  return shifts.map(({ name, start, end }) => `${name} ${start.toISOString()} ${end.toISOString()}`);
}

/** Formats shifts as "name start" with the warnings. */
export function readFeed(text: string, timeZone = 'Africa/Johannesburg') {
  const { warnings } = expandCalendar(text, [year(2026)], timeZone);
  const turns = readTurns(text, year(2026), timeZone).map((turn) => turn.replace(/:00\.000Z .*/, ''));
  return { turns, warnings };
}
