import { dayMs, getWeekday, modulo, toCalendarDay, toDayNumber } from './calendar-day.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { isRuleDay, listRuleDaysOfMonth } from './rule-days.ts';

/** One repetition of a rule, such as a month. */
export interface RulePeriod {
  readonly startsAt: number;
  /** Local times of the beginnings of days, to which times of the day are added. */
  readonly starts: readonly number[];
  /** The index of the next period that may have starts. */
  readonly next: number;
}

/** The periods of a rule, counted from the one in which its event starts. */
export interface RulePeriods {
  /** Returns the last period that begins at or before a local time, or an earlier one. */
  findIndex(localMs: number): number;
  get(index: number): RulePeriod;
}

const allMonths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

export class YearPeriods implements RulePeriods {
  readonly #rule: RecurrenceRule;
  readonly #firstYear: number;

  constructor(rule: RecurrenceRule, firstYear: number) {
    this.#rule = rule;
    this.#firstYear = firstYear;
  }

  findIndex(localMs: number): number {
    const { year } = toCalendarDay(Math.floor(localMs / dayMs));
    return Math.floor((year - this.#firstYear) / this.#rule.interval);
  }

  get(index: number): RulePeriod {
    const { interval, months } = this.#rule;
    const year = this.#firstYear + index * interval;
    const starts: number[] = [];
    for (const month of months.length > 0 ? months : allMonths)
      for (const day of listRuleDaysOfMonth(this.#rule, year, month)) starts.push(day * dayMs);
    return { startsAt: toDayNumber(year, 1, 1) * dayMs, starts, next: index + 1 };
  }
}

export class MonthPeriods implements RulePeriods {
  readonly #rule: RecurrenceRule;
  readonly #firstYear: number;
  readonly #firstMonth: number;

  constructor(rule: RecurrenceRule, firstYear: number, firstMonth: number) {
    this.#rule = rule;
    this.#firstYear = firstYear;
    this.#firstMonth = firstMonth;
  }

  findIndex(localMs: number): number {
    const { year, month } = toCalendarDay(Math.floor(localMs / dayMs));
    return Math.floor(((year - this.#firstYear) * 12 + month - this.#firstMonth) / this.#rule.interval);
  }

  get(index: number): RulePeriod {
    const { interval, months } = this.#rule;
    // Month 13 is the next January.
    const month = this.#firstMonth + index * interval;
    const isChosen = months.length === 0 || months.includes(modulo(month - 1, 12) + 1);
    const days = isChosen ? listRuleDaysOfMonth(this.#rule, this.#firstYear, month) : [];
    const startsAt = toDayNumber(this.#firstYear, month, 1) * dayMs;
    return { startsAt, starts: days.map((day) => day * dayMs), next: index + 1 };
  }
}

export class WeekPeriods implements RulePeriods {
  readonly #rule: RecurrenceRule;
  readonly #firstDay: number;
  /** Days of the week, counted from its first. */
  readonly #offsets: readonly number[];

  constructor(rule: RecurrenceRule, startDay: number) {
    this.#rule = rule;
    this.#firstDay = startDay - modulo(getWeekday(startDay) - rule.weekStart, 7);
    const offsets = rule.weekdays.map(({ weekday }) => modulo(weekday - rule.weekStart, 7));
    this.#offsets = [...new Set(offsets)].sort();
  }

  findIndex(localMs: number): number {
    return Math.floor((Math.floor(localMs / dayMs) - this.#firstDay) / (7 * this.#rule.interval));
  }

  get(index: number): RulePeriod {
    const { interval, months } = this.#rule;
    const first = this.#firstDay + index * 7 * interval;
    const starts: number[] = [];
    for (const offset of this.#offsets)
      if (months.length === 0 || months.includes(toCalendarDay(first + offset).month))
        starts.push((first + offset) * dayMs);
    return { startsAt: first * dayMs, starts, next: index + 1 };
  }
}

export class DayPeriods implements RulePeriods {
  readonly #rule: RecurrenceRule;
  readonly #firstDay: number;
  readonly #isEveryDay: boolean;

  constructor(rule: RecurrenceRule, firstDay: number) {
    this.#rule = rule;
    this.#firstDay = firstDay;
    this.#isEveryDay = rule.months.length + rule.monthDays.length + rule.weekdays.length === 0;
  }

  findIndex(localMs: number): number {
    return Math.floor((Math.floor(localMs / dayMs) - this.#firstDay) / this.#rule.interval);
  }

  get(index: number): RulePeriod {
    const day = this.#firstDay + index * this.#rule.interval;
    const isChosen = this.#isEveryDay || isRuleDay(this.#rule, toCalendarDay(day));
    return { startsAt: day * dayMs, starts: isChosen ? [day * dayMs] : [], next: index + 1 };
  }
}
