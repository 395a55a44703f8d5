import ICAL from 'ical.js';
import type { Property } from './calendar-parts.ts';
import type { FeedClocks, FeedTime } from './feed-clocks.ts';
import type { FeedEvent } from './feed-event.ts';
import { timeOfWall, type WallClock, wallOf } from './wall-clock.ts';

const dayMs = 86_400_000;
const dayNames = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

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
 * The wall times at which an event begins, of which those before the reach may be left out. Worked out on the wall's clock,
 * because that is what a rule means: a turn that begins at 08:00 begins at 08:00 in summer and in winter.
 */
export function startsOf(event: FeedEvent, clocks: FeedClocks, reach: Reach, steps: Steps): Iterable<number> {
  const { start, rules, added, leftOut } = event;
  if (rules.length + added.length + leftOut.length === 0) return [start.wallMs];
  const walls = new Set([start.wallMs]);
  for (const rule of rules) for (const wallMs of ruleStarts(readRule(rule), start, reach, steps)) walls.add(wallMs);
  for (const property of added) for (const time of clocks.read(property)) walls.add(onClock(time, start));
  for (const property of leftOut) for (const time of clocks.read(property)) walls.delete(onClock(time, start));
  return walls;
}

function readRule(property: Property): ICAL.Recur {
  const rule = new ICAL.Property([...property]).getFirstValue();
  if (!(rule instanceof ICAL.Recur)) throw new Error('a rule of recurrence cannot be read');
  return rule;
}

/**
 * What the clock of the event's start shows at a time that is written by another. A day alone stands for the event's
 * turn of that day.
 */
export function onClock(time: FeedTime, start: FeedTime): number {
  if (time.isDate) return time.wallMs + (start.isDate ? 0 : modulo(start.wallMs, dayMs));
  if (time.clock.name === start.clock.name) return time.wallMs;
  return wallAt(time.clock.toInstant(time.wallMs), start.clock);
}

/** The inverse of `toInstant`: two steps settle it, because clocks change by hours and not by days. */
function wallAt(instant: number, clock: WallClock): number {
  let wallMs = instant;
  for (let step = 0; step < 2; step++) wallMs += instant - clock.toInstant(wallMs);
  return wallMs;
}

function* ruleStarts(rule: ICAL.Recur, start: FeedTime, reach: Reach, steps: Steps): Iterable<number> {
  const { clock } = start;
  const isPast = untilOf(rule, clock);
  const firstWallMs = start.wallMs + skipped(rule, start, reach);
  for (const wallMs of evenStarts(rule, firstWallMs) ?? unevenStarts(rule, firstWallMs)) {
    if (--steps.left < 0) throw new Error('its rules of recurrence yield too many events');
    if (isPast(wallMs) || clock.toInstant(wallMs) >= reach.to) return;
    yield wallMs;
  }
}

/** As most rosters recur: every so many days or weeks, on the day of the first. Undefined for all other rules. */
function evenStarts(rule: ICAL.Recur, firstWallMs: number): Iterable<number> | undefined {
  const everyMs = turnMsOf(rule);
  const { BYDAY: days, ...others } = rule.parts;
  const isOnDay =
    days === undefined ||
    (rule.freq === 'WEEKLY' && days.length === 1 && days[0] === dayNames[new Date(firstWallMs).getUTCDay()]);
  if (everyMs === undefined || !isOnDay || Object.keys(others).length > 0) return undefined;
  return evenly(firstWallMs, everyMs, rule.count || Number.POSITIVE_INFINITY);
}

function* evenly(first: number, every: number, most: number): Iterable<number> {
  for (let turn = 0; turn < most; turn++) yield first + turn * every;
}

function* unevenStarts(rule: ICAL.Recur, firstWallMs: number): Iterable<number> {
  const endless = rule.clone();
  // Judged elsewhere: the library compares it without regard to zones.
  endless.until = null;
  const iterator = endless.iterator(timeOfWall(firstWallMs));
  for (let time = iterator.next(); time; time = iterator.next()) yield wallOf(time);
}

/**
 * How much later a rule may begin without changing what it says of the reach: whole turns of it. Not where it counts, and
 * not for months and years, which are few.
 */
function skipped(rule: ICAL.Recur, start: FeedTime, reach: Reach): number {
  const turnMs = turnMsOf(rule);
  if (turnMs === undefined || rule.count !== null) return 0;
  const turns = Math.floor((reach.from - start.clock.toInstant(start.wallMs)) / turnMs) - 2;
  return turns > 0 ? turns * turnMs : 0;
}

/** Milliseconds on the wall's clock; undefined for rules whose turns are not all as long. */
function turnMsOf({ freq, interval }: ICAL.Recur): number | undefined {
  const days = { DAILY: 1, WEEKLY: 7 }[String(freq)];
  return days && days * interval * dayMs;
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
