import { dayMs, modulo, toCalendarDay } from './calendar-day.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { withDayOfStart } from './rule-days.ts';
import { DayPeriods, MonthPeriods, type RulePeriods, WeekPeriods, YearPeriods } from './rule-periods.ts';
import { hourMs, listTimes, minuteMs, secondMs } from './rule-times.ts';
import type { StepBudget } from './step-budget.ts';
import { TimePeriods } from './time-periods.ts';

/** Local times, both inclusive. */
export interface LocalRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Lists the local times at which a rule starts, in order: those from the event's start on, within
 * the range. UNTIL is left to the caller, because its meaning depends on the event.
 *
 * @param startMs the local start of the event, from which the rule takes what it does not state
 */
export function* listRuleStarts(
  written: RecurrenceRule,
  startMs: number,
  range: LocalRange,
  budget: StepBudget,
): Iterable<number> {
  const rule = withDayOfStart(written, startMs);
  const periods = createPeriods(rule, startMs);
  const times = listTimes(rule, modulo(startMs, dayMs));
  // A rule that counts its occurrences must be followed from its beginning.
  let index = rule.count === undefined ? Math.max(0, periods.findIndex(range.from)) : 0;
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const { startsAt, starts, next } = periods.get(index);
    if (startsAt > range.to) return;
    budget.spend(1 + starts.length * times.length);
    for (const localMs of choose(starts, times, rule.positions)) {
      if (localMs < startMs) continue;
      if (localMs > range.to) return;
      if (localMs >= range.from) yield localMs;
      left -= 1;
      if (left === 0) return;
    }
    index = next;
  }
}

function createPeriods(rule: RecurrenceRule, startMs: number): RulePeriods {
  const day = Math.floor(startMs / dayMs);
  switch (rule.frequency) {
    case 'YEARLY':
      return new YearPeriods(rule, toCalendarDay(day).year);
    case 'MONTHLY':
      return new MonthPeriods(rule, toCalendarDay(day).year, toCalendarDay(day).month);
    case 'WEEKLY':
      return new WeekPeriods(rule, day);
    case 'DAILY':
      return new DayPeriods(rule, day);
    case 'HOURLY':
      return new TimePeriods(rule, startMs, hourMs);
    case 'MINUTELY':
      return new TimePeriods(rule, startMs, minuteMs);
    case 'SECONDLY':
      return new TimePeriods(rule, startMs, secondMs);
  }
}

/** Combines days and times, and chooses among all of the period by BYSETPOS. */
function choose(starts: readonly number[], times: readonly number[], positions: readonly number[]): readonly number[] {
  const all: number[] = [];
  for (const start of starts) for (const time of times) all.push(start + time);
  if (positions.length === 0) return all;
  const indexes = positions.map((position) => (position > 0 ? position - 1 : all.length + position));
  return [...new Set(indexes)].sort((one, other) => one - other).flatMap((index) => all[index] ?? []);
}
