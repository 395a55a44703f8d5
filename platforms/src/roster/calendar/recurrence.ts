import ICAL from 'ical.js';
import type { FeedClocks, FeedTime } from './feed-clocks.ts';
import type { FeedEvent } from './feed-event.ts';
import { toIcalTime, toLocalMs, type ZoneClock } from './zone-clock.ts';

const dayMs = 86_400_000;
const unitsMs: Readonly<Record<string, number>> = {
  SECONDLY: 1_000,
  MINUTELY: 60_000,
  HOURLY: 3_600_000,
  DAILY: dayMs,
  WEEKLY: 7 * dayMs,
};
/** Weekdays in the order of `getUTCDay`. */
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** The number of steps for a whole feed, so that an absurd rule ends with an error message. */
export interface StepBudget {
  remaining: number;
}

/** Instants; `to` is exclusive. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Lists the local times at which an event starts; those before the range may be omitted. Rules are
 * expanded in local time, so a shift at 08:00 starts at 08:00 in summer and in winter.
 */
export function listStarts(
  event: FeedEvent,
  clocks: FeedClocks,
  range: TimeRange,
  budget: StepBudget,
): Iterable<number> {
  const { start, rules, added, excluded } = event;
  if (rules.length + added.length + excluded.length === 0) return [start.localMs];
  const localTimes = new Set([start.localMs]);
  for (const { value } of rules)
    for (const localMs of listRuleStarts(ICAL.Recur.fromString(value), start, range, budget)) localTimes.add(localMs);
  for (const property of added) for (const time of clocks.read(property)) localTimes.add(toLocalMsOnClock(time, start));
  for (const property of excluded)
    for (const time of clocks.read(property)) localTimes.delete(toLocalMsOnClock(time, start));
  return localTimes;
}

/**
 * Converts a time of another clock to the clock of the event's start. A date alone means the
 * event's occurrence on that day.
 */
export function toLocalMsOnClock(time: FeedTime, start: FeedTime): number {
  if (time.isDate) return time.localMs + (start.isDate ? 0 : modulo(start.localMs, dayMs));
  if (time.clock.name === start.clock.name) return time.localMs;
  return fromInstant(time.clock.toInstant(time.localMs), start.clock);
}

/**
 * The inverse of `toInstant`. Two iterations are enough because clocks change by hours, not days.
 */
function fromInstant(instant: number, clock: ZoneClock): number {
  let localMs = instant;
  for (let step = 0; step < 2; step++) localMs += instant - clock.toInstant(localMs);
  return localMs;
}

function* listRuleStarts(rule: ICAL.Recur, start: FeedTime, range: TimeRange, budget: StepBudget): Iterable<number> {
  const { clock } = start;
  const isPast = createUntilCheck(rule, clock);
  for (const localMs of listLocalStarts(rule, start, range)) {
    if (--budget.remaining < 0) throw new Error('its recurrence rules yield too many events');
    if (isPast(localMs) || clock.toInstant(localMs) >= range.to) return;
    yield localMs;
  }
}

/** Lists starts without an end, from before the range on; the caller decides when the rule ends. */
function listLocalStarts(rule: ICAL.Recur, start: FeedTime, range: TimeRange): Iterable<number> {
  const unitMs = unitsMs[String(rule.freq)];
  // Months and years vary in length, but there are few of them.
  if (unitMs === undefined) return listStartsByLibrary(rule, start.localMs);
  const intervalMs = unitMs * rule.interval;
  const isRegular = isRegularRule(rule, start);
  // Unless a rule counts its occurrences, it can start whole intervals later without changing them.
  const canSkip = rule.count === null && (isRegular || unitMs >= dayMs);
  const skippedIntervals = canSkip
    ? Math.floor((range.from - start.clock.toInstant(start.localMs)) / intervalMs) - 2
    : 0;
  const initialMs = start.localMs + Math.max(0, skippedIntervals) * intervalMs;
  return isRegular ? listRegularStarts(initialMs, intervalMs, rule.count) : listStartsByLibrary(rule, initialMs);
}

/**
 * Whether the rule repeats at a fixed interval, as most rosters do: no further conditions, except
 * the weekday of the first occurrence.
 */
function isRegularRule({ freq, parts }: ICAL.Recur, { localMs }: FeedTime): boolean {
  const { BYDAY: days, ...others } = parts;
  if (Object.keys(others).length > 0) return false;
  return !days || (freq === 'WEEKLY' && days.length === 1 && days[0] === weekdays[new Date(localMs).getUTCDay()]);
}

function* listRegularStarts(initialMs: number, intervalMs: number, count: number | null): Iterable<number> {
  for (let index = 0; !count || index < count; index++) yield initialMs + index * intervalMs;
}

function* listStartsByLibrary(rule: ICAL.Recur, initialMs: number): Iterable<number> {
  const unlimited = rule.clone();
  // The library would compare `until` without regard to time zones.
  unlimited.until = null;
  const iterator = unlimited.iterator(toIcalTime(initialMs));
  for (let time = iterator.next(); time; time = iterator.next()) yield toLocalMs(time);
}

function createUntilCheck({ until }: ICAL.Recur, clock: ZoneClock): (localMs: number) => boolean {
  if (!until) return () => false;
  const last = toLocalMs(until);
  if (until.isDate) return (localMs) => localMs >= last + dayMs;
  if (until.zone === ICAL.Timezone.utcTimezone) return (localMs) => clock.toInstant(localMs) > last;
  return (localMs) => localMs > last;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
