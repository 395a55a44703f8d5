import ICAL from 'ical.js';
import type { FeedClocks, FeedTime } from './feed-clocks.ts';
import { timeOfWall, type WallClock, wallOf } from './wall-clock.ts';

const dayMs = 86_400_000;

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
export function startsOf(
  event: ICAL.Component,
  start: FeedTime,
  clocks: FeedClocks,
  reach: Reach,
  steps: Steps,
): Iterable<number> {
  const walls = new Set([start.wallMs]);
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ICAL.Recur)) throw new Error('a rule of recurrence cannot be read');
    for (const wallMs of ruleStarts(rule, start, reach, steps)) walls.add(wallMs);
  }
  for (const property of event.getAllProperties('rdate'))
    for (const time of clocks.read(property)) walls.add(onClock(time, start));
  for (const property of event.getAllProperties('exdate'))
    for (const time of clocks.read(property)) walls.delete(onClock(time, start));
  return walls;
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
  const endless = rule.clone();
  // Judged here: the library compares it without regard to zones.
  endless.until = null;
  const iterator = endless.iterator(timeOfWall(start.wallMs + skipped(rule, start, reach)));
  for (let time = iterator.next(); time; time = iterator.next()) {
    if (--steps.left < 0) throw new Error('its rules of recurrence yield too many events');
    const wallMs = wallOf(time);
    if (isPast(wallMs) || clock.toInstant(wallMs) >= reach.to) return;
    yield wallMs;
  }
}

/**
 * How much later a rule may begin without changing what it says of the reach: whole turns of it. Not where it counts, and
 * not for months and years, which are few.
 */
function skipped(rule: ICAL.Recur, start: FeedTime, reach: Reach): number {
  const turnDays = { DAILY: 1, WEEKLY: 7 }[String(rule.freq)];
  if (turnDays === undefined || rule.count !== null) return 0;
  const turnMs = turnDays * rule.interval * dayMs;
  const turns = Math.floor((reach.from - start.clock.toInstant(start.wallMs)) / turnMs) - 2;
  return turns > 0 ? turns * turnMs : 0;
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
