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
/** As `getUTCDay` counts them. */
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Steps that a whole feed may take, so that an absurd rule ends in words. */
export interface StepBudget {
  left: number;
}

/** Instants, `to` not included. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The wall times at which an event begins, of which those before the reach may be left out. Worked
 * out on the wall's clock, because that is what a rule means: a turn that begins at 08:00 begins at
 * 08:00 in summer and in winter.
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
 * What the clock of the event's start shows at a time that is written by another. A day alone
 * stands for the event's turn of that day.
 */
export function toLocalMsOnClock(time: FeedTime, start: FeedTime): number {
  if (time.isDate) return time.localMs + (start.isDate ? 0 : modulo(start.localMs, dayMs));
  if (time.clock.name === start.clock.name) return time.localMs;
  return fromInstant(time.clock.toInstant(time.localMs), start.clock);
}

/**
 * The inverse of `toInstant`: two steps settle it, because clocks change by hours and not by days.
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
    if (--budget.left < 0) throw new Error('its rules of recurrence yield too many events');
    if (isPast(localMs) || clock.toInstant(localMs) >= range.to) return;
    yield localMs;
  }
}

/** On and on, from some time before the reach: when a rule ends is judged elsewhere. */
function listLocalStarts(rule: ICAL.Recur, start: FeedTime, range: TimeRange): Iterable<number> {
  const unitMs = unitsMs[String(rule.freq)];
  // Months and years are not all as long, but few.
  if (unitMs === undefined) return listStartsByLibrary(rule, start.localMs);
  const intervalMs = unitMs * rule.interval;
  const isRegular = isRegularRule(rule, start);
  // A rule may begin whole turns later without saying anything else, where it does not count them.
  const canSkip = rule.count === null && (isRegular || unitMs >= dayMs);
  const skippedIntervals = canSkip
    ? Math.floor((range.from - start.clock.toInstant(start.localMs)) / intervalMs) - 2
    : 0;
  const initialMs = start.localMs + Math.max(0, skippedIntervals) * intervalMs;
  return isRegular ? listRegularStarts(initialMs, intervalMs, rule.count) : listStartsByLibrary(rule, initialMs);
}

/**
 * As most rosters recur: a turn every so often and no more to it, unless that it is on the weekday
 * of the first.
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
  // It would compare it without regard to zones.
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
