import { getZoneParts } from '../../../format/instants.ts';

/** Returns the interval of each bar: "Sat 21 Nov 2026, 10:00 to 11:00". */
export function describePeriods(takenAt: readonly string[]): string[] {
  return takenAt.slice(1).map((end, index) => {
    const [from, to] = [readLocalTime(takenAt[index] ?? end), readLocalTime(end)];
    return `${from.day}, ${from.time} to ${to.day === from.day ? '' : `${to.day}, `}${to.time}`;
  });
}

/** Formats a time of an axis: "10:00", or "21 Nov, 10:00" where it covers more than one day. */
export function formatAxisTime(instant: string, takenAt: readonly string[]): string {
  const { date, time } = readLocalTime(instant);
  const days = new Set(takenAt.map((each) => readLocalTime(each).day));
  return days.size === 1 ? time : `${date}, ${time}`;
}

function readLocalTime(instant: string) {
  const { weekday, day, month, year, hour, minute } = getZoneParts(new Date(instant));
  const date = `${day} ${month}`;
  return { date, day: `${weekday} ${date} ${year}`, time: `${hour}:${minute}` };
}
