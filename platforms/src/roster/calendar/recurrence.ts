import ICAL from 'ical.js';
import type { FeedClocks, FeedTime } from './feed-clocks.ts';
import type { FeedEvent } from './feed-event.ts';
import { timeOfWall, type WallClock, wallOf } from './wall-clock.ts';

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
export interface Steps {
  left: number;
}

/** Instants, `to` not included. */
export interface Reach {
  readonly from: number;
  readonly to: number;
}

/**
 * The wall times at which an event begins, of which those before the reach may be left out. Worked
 * out on the wall's clock, because that is what a rule means: a turn that begins at 08:00 begins at
 * 08:00 in summer and in winter.
 */
export function startsOf(event: FeedEvent, clocks: FeedClocks, reach: Reach, steps: Steps): Iterable<number> {
  const { start, rules, added, leftOut } = event;
  if (rules.length + added.length + leftOut.length === 0) return [start.wallMs];
  const walls = new Set([start.wallMs]);
  for (const { value } of rules)
    for (const wallMs of ruleStarts(ICAL.Recur.fromString(value), start, reach, steps)) walls.add(wallMs);
  for (const property of added) for (const time of clocks.read(property)) walls.add(onClock(time, start));
  for (const property of leftOut) for (const time of clocks.read(property)) walls.delete(onClock(time, start));
  return walls;
}

/**
 * What the clock of the event's start shows at a time that is written by another. A day alone
 * stands for the event's turn of that day.
 */
export function onClock(time: FeedTime, start: FeedTime): number {
  if (time.isDate) return time.wallMs + (start.isDate ? 0 : modulo(start.wallMs, dayMs));
  if (time.clock.name === start.clock.name) return time.wallMs;
  return wallAt(time.clock.toInstant(time.wallMs), start.clock);
}

/**
 * The inverse of `toInstant`: two steps settle it, because clocks change by hours and not by days.
 */
function wallAt(instant: number, clock: WallClock): number {
  let wallMs = instant;
  for (let step = 0; step < 2; step++) wallMs += instant - clock.toInstant(wallMs);
  return wallMs;
}

function* ruleStarts(rule: ICAL.Recur, start: FeedTime, reach: Reach, steps: Steps): Iterable<number> {
  const { clock } = start;
  const isPast = untilOf(rule, clock);
  for (const wallMs of wallStarts(rule, start, reach)) {
    if (--steps.left < 0) throw new Error('its rules of recurrence yield too many events');
    if (isPast(wallMs) || clock.toInstant(wallMs) >= reach.to) return;
    yield wallMs;
  }
}

/** On and on, from some time before the reach: when a rule ends is judged elsewhere. */
function wallStarts(rule: ICAL.Recur, start: FeedTime, reach: Reach): Iterable<number> {
  const unitMs = unitsMs[String(rule.freq)];
  // Months and years are not all as long, but few.
  if (unitMs === undefined) return startsByLibrary(rule, start.wallMs);
  const turnMs = unitMs * rule.interval;
  const isEven = isEvenRule(rule, start);
  // A rule may begin whole turns later without saying anything else, where it does not count them.
  const maySkip = rule.count === null && (isEven || unitMs >= dayMs);
  const turns = maySkip ? Math.floor((reach.from - start.clock.toInstant(start.wallMs)) / turnMs) - 2 : 0;
  const initialMs = start.wallMs + Math.max(0, turns) * turnMs;
  return isEven ? evenStarts(initialMs, turnMs, rule.count) : startsByLibrary(rule, initialMs);
}

/**
 * As most rosters recur: a turn every so often and no more to it, unless that it is on the weekday
 * of the first.
 */
function isEvenRule({ freq, parts }: ICAL.Recur, { wallMs }: FeedTime): boolean {
  const { BYDAY: days, ...others } = parts;
  if (Object.keys(others).length > 0) return false;
  return !days || (freq === 'WEEKLY' && days.length === 1 && days[0] === weekdays[new Date(wallMs).getUTCDay()]);
}

function* evenStarts(initialMs: number, turnMs: number, count: number | null): Iterable<number> {
  for (let turn = 0; !count || turn < count; turn++) yield initialMs + turn * turnMs;
}

function* startsByLibrary(rule: ICAL.Recur, initialMs: number): Iterable<number> {
  const endless = rule.clone();
  // It would compare it without regard to zones.
  endless.until = null;
  const iterator = endless.iterator(timeOfWall(initialMs));
  for (let time = iterator.next(); time; time = iterator.next()) yield wallOf(time);
}

function untilOf({ until }: ICAL.Recur, clock: WallClock): (wallMs: number) => boolean {
  if (!until) return () => false;
  const last = wallOf(until);
  if (until.isDate) return (wallMs) => wallMs >= last + dayMs;
  if (until.zone === ICAL.Timezone.utcTimezone) return (wallMs) => clock.toInstant(wallMs) > last;
  return (wallMs) => wallMs > last;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
