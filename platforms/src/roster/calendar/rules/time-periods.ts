import { dayMs, modulo, toCalendarDay } from './calendar-day.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { isRuleDay } from './rule-days.ts';
import type { RulePeriod, RulePeriods } from './rule-periods.ts';
import { hourMs, minuteMs, secondMs } from './rule-times.ts';

/** Periods of hours, minutes or seconds. Skips days, hours and minutes that have none at once. */
export class TimePeriods implements RulePeriods {
  readonly #rule: RecurrenceRule;
  readonly #unitMs: number;
  readonly #stepMs: number;
  readonly #firstMs: number;
  #checked: { readonly day: number; readonly isChosen: boolean } | undefined;

  constructor(rule: RecurrenceRule, startMs: number, unitMs: number) {
    this.#rule = rule;
    this.#unitMs = unitMs;
    this.#stepMs = unitMs * rule.interval;
    this.#firstMs = Math.floor(startMs / unitMs) * unitMs;
  }

  findIndex(localMs: number): number {
    return Math.floor((localMs - this.#firstMs) / this.#stepMs);
  }

  get(index: number): RulePeriod {
    const startsAt = this.#firstMs + index * this.#stepMs;
    const unchosenMs = this.#findUnchosen(startsAt);
    if (unchosenMs === undefined) return { startsAt, starts: [startsAt], next: index + 1 };
    const after = (Math.floor(startsAt / unchosenMs) + 1) * unchosenMs;
    return { startsAt, starts: [], next: Math.ceil((after - this.#firstMs) / this.#stepMs) };
  }

  /** Returns the length of the day, hour, minute or second that the rule does not choose. */
  #findUnchosen(localMs: number): number | undefined {
    const { hours, minutes, seconds } = this.#rule;
    if (!this.#isChosenDay(Math.floor(localMs / dayMs))) return dayMs;
    if (!isChosen(hours, localMs, hourMs, 24)) return hourMs;
    if (this.#unitMs < hourMs && !isChosen(minutes, localMs, minuteMs, 60)) return minuteMs;
    if (this.#unitMs < minuteMs && !isChosen(seconds, localMs, secondMs, 60)) return secondMs;
    return undefined;
  }

  #isChosenDay(day: number): boolean {
    if (this.#checked?.day !== day) this.#checked = { day, isChosen: isRuleDay(this.#rule, toCalendarDay(day)) };
    return this.#checked.isChosen;
  }
}

function isChosen(chosen: readonly number[], localMs: number, unitMs: number, units: number): boolean {
  return chosen.length === 0 || chosen.includes(modulo(Math.floor(localMs / unitMs), units));
}
