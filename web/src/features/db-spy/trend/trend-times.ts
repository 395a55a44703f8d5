import { formatInstant } from '../../../lib/format.ts';

/** Returns the interval of each bar: "Sat 21 Nov 2026, 10:00 to 11:00". */
export function describePeriods(takenAt: readonly string[]): string[] {
  return takenAt.slice(1).map((to, index) => {
    const [fromDay, fromTime] = toDayAndTime(takenAt[index] ?? to);
    const [toDay, toTime] = toDayAndTime(to);
    return `${fromDay}, ${fromTime} to ${toDay === fromDay ? '' : `${toDay}, `}${toTime}`;
  });
}

/** Formats a time of an axis: "10:00", or "21 Nov, 10:00" where it covers more than one day. */
export function formatAxisTime(instant: string, takenAt: readonly string[]): string {
  const [day, time] = toDayAndTime(instant);
  const isOneDay = new Set(takenAt.map((one) => toDayAndTime(one)[0])).size === 1;
  return isOneDay ? time : `${day.split(' ').slice(1, 3).join(' ')}, ${time}`;
}

function toDayAndTime(instant: string): [day: string, time: string] {
  const [day = '', time = ''] = formatInstant(new Date(instant), false).split(', ');
  return [day, time.slice(0, 5)];
}
