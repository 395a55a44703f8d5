import { readTagDay } from '@portal/contract/deployments-rules';

/**
 * Returns the day that a user typed as 'YYYY-MM-DD', also without leading zeros or with other
 * separators; null if it is none.
 */
export function parseDay(text: string): string | null {
  const [, year, month, day] =
    /^(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})$/.exec(text.trim()) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text.trim()) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  return readTagDay(`${year}${month.padStart(2, '0')}${day.padStart(2, '0')}`);
}

/**
 * Returns the time that a user typed as 'HH:mm:ss', also without seconds, minutes or separators;
 * null if it is none.
 */
export function parseTime(text: string): string | null {
  const [, hours, minutes = '00', seconds = '00'] =
    /^(\d{1,2})(?:[:.]?([0-5]\d)(?:[:.]?([0-5]\d))?)?$/.exec(text.trim()) ?? [];
  if (hours === undefined || Number(hours) > 23) return null;
  return `${hours.padStart(2, '0')}:${minutes}:${seconds}`;
}

/** Returns 'YYYY-MM-DD HH:mm:ss'; null if either is missing. */
export function joinDateAndTime(day: string, time: string): string | null {
  const [parsedDay, parsedTime] = [parseDay(day), parseTime(time)];
  return parsedDay === null || parsedTime === null ? null : `${parsedDay} ${parsedTime}`;
}
