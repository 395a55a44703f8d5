import { parseTime } from '../feed-time.ts';
import type { FeedComponent, FeedZone } from '../parse-calendar.ts';
import { listRuleStarts } from '../rules/list-rule-starts.ts';
import { parseRule, type RecurrenceRule } from '../rules/recurrence-rule.ts';
import { StepBudget } from '../rules/step-budget.ts';
import { Unreadable } from '../unreadable.ts';
import { createClock, type ZoneClock } from './zone-clock.ts';

/** An observance of a zone (RFC 5545, 3.6.5): when it begins, and the offsets before and after. */
interface Observance {
  readonly startMs: number;
  /** Local times, by the offset before it. */
  readonly dates: readonly number[];
  readonly rules: readonly { readonly rule: RecurrenceRule; readonly until: number }[];
  readonly offsetBefore: number;
  readonly offset: number;
}

/** From an instant on, clocks have this offset. */
interface Transition {
  readonly at: number;
  readonly offset: number;
  readonly offsetBefore: number;
}

/** Windows describes its zones from the year 1601 on. No roster is that old. */
const earliest = Date.UTC(1970, 0, 1);
const yearMs = 366 * 86_400_000;

/**
 * Creates the clock that a VTIMEZONE describes. Before its first observance, the offset is the one
 * before that. Throws Unreadable if it describes nothing, or something that cannot be read.
 */
export function createDescribedClock(zone: FeedZone): ZoneClock {
  if (zone.damage !== undefined) throw new Unreadable(zone.damage);
  const observances = zone.observances.map(readObservance);
  if (observances.length === 0) throw new Unreadable('it has no observance');
  let coveredUntil = Number.NEGATIVE_INFINITY;
  let transitions: readonly Transition[] = [];
  const getOffset = (instant: number): number => {
    if (instant >= coveredUntil) {
      coveredUntil = instant + 10 * yearMs;
      transitions = listTransitions(observances, coveredUntil);
    }
    const index = findLast(transitions, instant);
    return transitions[index]?.offset ?? transitions[0]?.offsetBefore ?? 0;
  };
  // Rules that cannot be followed are found here.
  getOffset(Date.now());
  return createClock(getOffset);
}

function readObservance({ properties, damage }: FeedComponent): Observance {
  if (damage !== undefined) throw new Unreadable(damage);
  const find = (name: string) => properties.find((property) => property.name === name)?.value ?? '';
  const list = (name: string) => properties.filter((property) => property.name === name).map(({ value }) => value);
  const offsetBefore = readOffset(find('TZOFFSETFROM'));
  const readRule = (text: string) => {
    const rule = parseRule(text);
    return { rule, until: readUntil(rule.until, offsetBefore) };
  };
  return {
    startMs: readLocalTime(find('DTSTART')),
    dates: list('RDATE').flatMap((value) => value.split(',').map((text) => readLocalTime(text.split('/', 1)[0] ?? ''))),
    rules: list('RRULE').map(readRule),
    offsetBefore,
    offset: readOffset(find('TZOFFSETTO')),
  };
}

function readLocalTime(text: string): number {
  const time = parseTime(text);
  if (!time) throw new Unreadable('a time of an observance is not valid');
  return time.localMs;
}

/** Returns the last local time; UTC becomes local by the offset before the observance. */
function readUntil(until: string | undefined, offsetBefore: number): number {
  if (until === undefined) return Number.POSITIVE_INFINITY;
  const time = parseTime(until);
  if (!time) throw new Unreadable('its UNTIL is not a valid time');
  return time.localMs + (time.isUtc ? offsetBefore : 0) + (time.isDate ? 86_399_000 : 0);
}

function readOffset(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /^\s*([+-])([01]\d|2[0-3])([0-5]\d)([0-5]\d)?\s*$/.exec(text) ?? [];
  if (sign === undefined) throw new Unreadable('an offset of an observance is not valid');
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}

/** Lists what happens until an instant, earliest first. */
function listTransitions(observances: readonly Observance[], to: number): Transition[] {
  const budget = new StepBudget();
  const transitions = observances.flatMap(({ startMs, dates, rules, offset, offsetBefore }) => {
    const local = new Set([startMs, ...dates]);
    budget.startEvent();
    for (const { rule, until } of rules) {
      const range = { from: earliest, to: Math.min(until, to + offsetBefore) };
      for (const localMs of listRuleStarts(rule, startMs, range, budget)) local.add(localMs);
    }
    return [...local].map((localMs) => ({ at: localMs - offsetBefore, offset, offsetBefore }));
  });
  return transitions.sort((one, other) => one.at - other.at);
}

/** Returns the index of the last transition at or before an instant; -1 if there is none. */
function findLast(transitions: readonly Transition[], instant: number): number {
  let [low, high] = [0, transitions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((transitions[middle]?.at ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
