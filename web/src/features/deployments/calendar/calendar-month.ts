/**
 * Days are 'YYYY-MM-DD' and months 'YYYY-MM', without a zone: which day an instant falls on is
 * asked elsewhere.
 */

const dayMs = 86_400_000;

function toUtcMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function shiftDay(day: string, days: number): string {
  return new Date(toUtcMs(day) + days * dayMs).toISOString().slice(0, 10);
}

export function shiftMonth(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** From Monday, 0, to Sunday, 6. */
export function weekdayOf(day: string): number {
  return (new Date(toUtcMs(day)).getUTCDay() + 6) % 7;
}

export function isWeekendDay(day: string): boolean {
  return weekdayOf(day) > 4;
}

/**
 * Six weeks from the Monday on or before the first of the month: always as high, so that nothing
 * jumps.
 */
export function getWeeks(month: string): string[][] {
  const first = `${month}-01`;
  const monday = shiftDay(first, -weekdayOf(first));
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => shiftDay(monday, week * 7 + weekday)),
  );
}

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
