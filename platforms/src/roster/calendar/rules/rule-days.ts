import {
  type CalendarDay,
  dayMs,
  getWeekday,
  listMonthDays,
  modulo,
  toCalendarDay,
  toDayNumber,
} from './calendar-day.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';

/** Checks a day against the parts of a rule that choose days; empty parts accept every day. */
export function isRuleDay(rule: RecurrenceRule, day: CalendarDay): boolean {
  const { months, weeks, yearDays, monthDays, weekdays } = rule;
  if (months.length > 0 && !months.includes(day.month)) return false;
  if (monthDays.length > 0 && !hasOrdinal(monthDays, day.monthDay, day.monthLength)) return false;
  if (yearDays.length > 0 && !hasOrdinal(yearDays, day.yearDay, day.yearLength)) return false;
  if (weekdays.length > 0 && !isRuleWeekday(rule, day)) return false;
  return weeks.length === 0 || isInRuleWeek(rule, day);
}

/**
 * Adds what a rule takes from the start of its event: its day, if the rule does not choose days,
 * and its month, if it would otherwise be the same day of every month.
 */
export function withDayOfStart(rule: RecurrenceRule, startMs: number): RecurrenceRule {
  const { frequency, months, weeks, yearDays, monthDays, weekdays } = rule;
  if (weeks.length + yearDays.length + monthDays.length + weekdays.length > 0) return rule;
  const number = Math.floor(startMs / dayMs);
  if (frequency === 'WEEKLY') return { ...rule, weekdays: [{ weekday: getWeekday(number), nth: undefined }] };
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return rule;
  const { month, monthDay } = toCalendarDay(number);
  const isAnyMonth = frequency === 'MONTHLY' || months.length > 0;
  return { ...rule, months: isAnyMonth ? months : [month], monthDays: [monthDay] };
}

/** Lists the days of a month that the rule chooses. */
export function listRuleDaysOfMonth(rule: RecurrenceRule, year: number, month: number): number[] {
  const days: number[] = [];
  for (const day of listMonthDays(year, month)) if (isRuleDay(rule, day)) days.push(day.number);
  return days;
}

function isRuleWeekday({ weekdays, frequency, months }: RecurrenceRule, day: CalendarDay): boolean {
  const isOfMonth = frequency === 'MONTHLY' || months.length > 0;
  const [ordinal, length] = isOfMonth ? [day.monthDay, day.monthLength] : [day.yearDay, day.yearLength];
  return weekdays.some(({ weekday, nth }) => {
    if (weekday !== day.weekday) return false;
    if (nth === undefined) return true;
    return nth > 0 ? Math.ceil(ordinal / 7) === nth : Math.ceil((length - ordinal + 1) / 7) === -nth;
  });
}

/** A week belongs to the year that has most of its days, as in ISO 8601. */
function isInRuleWeek({ weeks, weekStart }: RecurrenceRule, day: CalendarDay): boolean {
  const middle = day.number - modulo(day.weekday - weekStart, 7) + 3;
  const year = getYearOf(middle, day.year);
  const week = Math.floor((middle - toDayNumber(year, 1, 1)) / 7) + 1;
  return hasOrdinal(weeks, week, countWeeks(year, weekStart));
}

function getYearOf(number: number, nearYear: number): number {
  if (number < toDayNumber(nearYear, 1, 1)) return nearYear - 1;
  return number >= toDayNumber(nearYear + 1, 1, 1) ? nearYear + 1 : nearYear;
}

/** December 28 is always in the last week of its year. */
function countWeeks(year: number, weekStart: number): number {
  const day = toDayNumber(year, 12, 28);
  const middle = day - modulo(getWeekday(day) - weekStart, 7) + 3;
  return Math.floor((middle - toDayNumber(year, 1, 1)) / 7) + 1;
}

/** Ordinals count from 1, or from the end if they are negative. */
function hasOrdinal(ordinals: readonly number[], ordinal: number, length: number): boolean {
  return ordinals.includes(ordinal) || ordinals.includes(ordinal - length - 1);
}
