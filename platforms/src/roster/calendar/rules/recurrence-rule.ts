import { Unreadable } from '../unreadable.ts';

export const frequencies = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** Weekdays in the order of `getUTCDay`. */
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** A weekday of BYDAY: each one, or the nth of the month or year, from its end if negative. */
interface RuleWeekday {
  readonly weekday: number;
  readonly nth: number | undefined;
}

/** A recurrence rule (RFC 5545, 3.3.10). A list that is empty does not restrict anything. */
export interface RecurrenceRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  /** A date or time as in the feed, because its meaning depends on the event. */
  readonly until: string | undefined;
  /** 0 is Sunday. */
  readonly weekStart: number;
  readonly months: readonly number[];
  readonly weeks: readonly number[];
  readonly yearDays: readonly number[];
  readonly monthDays: readonly number[];
  readonly weekdays: readonly RuleWeekday[];
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
  readonly positions: readonly number[];
}

const partNames = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'],
  ...['BYDAY', 'BYHOUR', 'BYMINUTE', 'BYSECOND', 'BYSETPOS', 'RSCALE', 'SKIP'],
]);

/** The events of a feed share a few rules. */
const rules = new Map<string, RecurrenceRule>();
const maxRules = 1_000;

/**
 * Parses a rule. Throws Unreadable for a rule that RFC 5545 forbids, because readers disagree about
 * its meaning.
 */
export function parseRule(text: string): RecurrenceRule {
  const known = rules.get(text);
  if (known) return known;
  const rule = readRule(text);
  if (rules.size === maxRules) rules.clear();
  rules.set(text, rule);
  return rule;
}

function readRule(text: string): RecurrenceRule {
  const parts = splitParts(text);
  const list = (name: string, min: number, max: number) => readNumbers(parts, name, min, max);
  const signed = (name: string, max: number) => readNumbers(parts, name, -max, max).filter(isNotZero(name));
  const rule: RecurrenceRule = {
    frequency: readFrequency(parts.get('FREQ')),
    interval: readCounter(parts, 'INTERVAL') ?? 1,
    count: readCounter(parts, 'COUNT'),
    until: parts.get('UNTIL'),
    weekStart: readWeekStart(parts.get('WKST')),
    months: list('BYMONTH', 1, 12),
    weeks: signed('BYWEEKNO', 53),
    yearDays: signed('BYYEARDAY', 366),
    monthDays: signed('BYMONTHDAY', 31),
    weekdays: readWeekdays(parts.get('BYDAY')),
    hours: list('BYHOUR', 0, 23),
    minutes: list('BYMINUTE', 0, 59),
    // A leap second, 60, is valid and never occurs in a local time.
    seconds: list('BYSECOND', 0, 60),
    positions: signed('BYSETPOS', 366),
  };
  refuseOtherScales(parts);
  refuseForbidden(rule);
  return rule;
}

function splitParts(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.toUpperCase().split(';')) {
    if (part.trim() === '') continue;
    const [name = '', value, ...others] = part.split('=').map((side) => side.trim());
    // RFC 2445 allowed parts with this prefix.
    if (name.startsWith('X-')) continue;
    if (value === undefined || others.length > 0 || !partNames.has(name)) throw invalid(name);
    if (parts.has(name)) throw new Unreadable(`its recurrence rule has ${name} twice`);
    parts.set(name, value);
  }
  return parts;
}

function readFrequency(text: string | undefined): Frequency {
  const frequency = frequencies.find((name) => name === text);
  if (!frequency) throw invalid('FREQ');
  return frequency;
}

function readCounter(parts: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = parts.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw invalid(name);
  return Number(text);
}

function readNumbers(parts: ReadonlyMap<string, string>, name: string, min: number, max: number): number[] {
  const text = parts.get(name);
  if (text === undefined) return [];
  const numbers = text.split(',').map((item) => {
    const number = /^\s*[+-]?\d{1,3}\s*$/.test(item) ? Number(item) : Number.NaN;
    if (!(number >= min && number <= max)) throw invalid(name);
    return number;
  });
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function isNotZero(name: string): (number: number) => boolean {
  return (number) => {
    if (number === 0) throw invalid(name);
    return true;
  };
}

function readWeekStart(text: string | undefined): number {
  const weekday = weekdays.indexOf(text ?? 'MO');
  if (weekday < 0) throw invalid('WKST');
  return weekday;
}

function readWeekdays(text: string | undefined): RuleWeekday[] {
  if (text === undefined) return [];
  return text.split(',').map((item) => {
    const [, nth, name = ''] = /^\s*([+-]?\d{1,2})?\s*([A-Z]{2})\s*$/.exec(item) ?? [];
    const weekday = weekdays.indexOf(name);
    const number = nth === undefined ? undefined : Number(nth);
    if (weekday < 0 || number === 0 || Math.abs(number ?? 1) > 53) throw invalid('BYDAY');
    return { weekday, nth: number };
  });
}

/** RFC 7529 adds calendars other than the Gregorian one, and rules for dates that do not exist. */
function refuseOtherScales(parts: ReadonlyMap<string, string>): void {
  for (const [name, supported] of Object.entries({ RSCALE: 'GREGORIAN', SKIP: 'OMIT' }))
    if ((parts.get(name) ?? supported) !== supported)
      throw new Unreadable(`its recurrence rule has ${name}, which is only supported with ${supported}`);
}

function refuseForbidden({ frequency, weeks, yearDays, monthDays, weekdays: days }: RecurrenceRule): void {
  const refuse = (part: string) => {
    throw new Unreadable(`its recurrence rule has ${part}, which is not allowed with FREQ=${frequency}`);
  };
  const hasNumbers = days.some(({ nth }) => nth !== undefined);
  if (weeks.length > 0 && frequency !== 'YEARLY') refuse('BYWEEKNO');
  if (yearDays.length > 0 && ['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency)) refuse('BYYEARDAY');
  if (monthDays.length > 0 && frequency === 'WEEKLY') refuse('BYMONTHDAY');
  if (hasNumbers && !['MONTHLY', 'YEARLY'].includes(frequency)) refuse('BYDAY with a number');
  if (weeks.length === 0) return;
  if (hasNumbers)
    throw new Unreadable('its recurrence rule has BYWEEKNO and BYDAY with a number, which is not allowed');
  if (days.length + monthDays.length + yearDays.length === 0)
    throw new Unreadable('its recurrence rule has BYWEEKNO without BYDAY, which calendars read differently');
}

function invalid(name: string): Unreadable {
  return new Unreadable(`its recurrence rule has an invalid ${name.slice(0, 20) || 'part'}`);
}
