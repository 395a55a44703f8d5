import { type FeedTime, parseTime } from './feed-time.ts';
import type { Recurrence } from './read-recurrence.ts';
import { dayMs, modulo } from './rules/calendar-day.ts';
import { type LocalRange, listRuleStarts } from './rules/list-rule-starts.ts';
import type { RecurrenceRule } from './rules/recurrence-rule.ts';
import type { StepBudget } from './rules/step-budget.ts';
import { Unreadable } from './unreadable.ts';

/** Instants; `to` is exclusive. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Lists the local times at which an event starts; those outside the range may be omitted. Rules are
 * expanded in local time, so a shift at 08:00 starts at 08:00 in summer and in winter.
 */
export function listStarts(
  start: FeedTime,
  { rules, exceptionRules, added, excluded }: Recurrence,
  range: TimeRange,
  budget: StepBudget,
): Iterable<number> {
  // A local time and UTC differ by less than a day.
  const local = { from: range.from - dayMs, to: range.to + dayMs };
  const localTimes = new Set<number>();
  // A rule that ended before its event leaves nothing of it.
  if (rules.length === 0 || rules.some((rule) => !isOver(rule, start))) localTimes.add(start.localMs);
  for (const rule of rules) for (const localMs of listStartsOf(rule, start, local, budget)) localTimes.add(localMs);
  for (const { localMs } of added) localTimes.add(localMs);
  for (const localMs of excluded) localTimes.delete(localMs);
  for (const rule of exceptionRules)
    for (const localMs of listStartsOf(rule, start, local, budget)) localTimes.delete(localMs);
  return localTimes;
}

function* listStartsOf(rule: RecurrenceRule, start: FeedTime, range: LocalRange, budget: StepBudget): Iterable<number> {
  const isPast = createUntilCheck(rule, start);
  for (const localMs of listRuleStarts(start.isDate ? withoutTimes(rule) : rule, start.localMs, range, budget)) {
    if (isPast(localMs)) return;
    yield localMs;
  }
}

function isOver(rule: RecurrenceRule, start: FeedTime): boolean {
  return rule.until !== undefined && createUntilCheck(rule, start)(start.localMs);
}

/** Whole days have no times, so those of their rule are ignored (RFC 5545, 3.3.10). */
function withoutTimes(rule: RecurrenceRule): RecurrenceRule {
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.frequency))
    throw new Unreadable(`its recurrence rule has FREQ=${rule.frequency}, but it has whole days`);
  return { ...rule, hours: [], minutes: [], seconds: [] };
}

/** UNTIL includes its time, and its whole day if it is a date. */
function createUntilCheck({ until }: RecurrenceRule, start: FeedTime): (localMs: number) => boolean {
  if (until === undefined) return () => false;
  const last = parseTime(until);
  if (!last) throw new Unreadable('its recurrence rule has an invalid UNTIL');
  if (last.isDate) return (localMs) => localMs >= last.localMs + dayMs;
  if (start.isDate) {
    const lastDay = getLastDay(last.localMs, last.isUtc, start);
    return (localMs) => localMs > lastDay;
  }
  if (!last.isUtc) return (localMs) => localMs > last.localMs;
  return (localMs) => start.clock.toInstant(localMs) > last.localMs;
}

/** A time in UTC at the start or the end of a day of the event's zone means that day. */
function getLastDay(untilMs: number, isUtc: boolean, start: FeedTime): number {
  const local = isUtc ? start.clock.toLocal(untilMs) : untilMs;
  const timeOfDay = modulo(local, dayMs);
  const isEdge = timeOfDay === 0 || timeOfDay === dayMs - 1000;
  return Math.floor((isEdge ? local : untilMs) / dayMs) * dayMs;
}
