import fc from 'fast-check';
import { dayMs, toCalendarDay } from './calendar-day.ts';
import { type Frequency, frequencies } from './recurrence-rule.ts';

/** A rule and the local time at which its event starts. */
export interface RuleCase {
  readonly frequency: Frequency;
  readonly rule: string;
  readonly startMs: number;
  /** How far to follow the rule, so that it has some starts and none takes long. */
  readonly endMs: number;
}

interface RandomRulesOptions {
  /**
   * Whether to generate what python's dateutil reads differently: weekdays with and without numbers
   * in one rule, numbers beyond the month, weeks 52 and 53, and positions in a first week that
   * begins before its event.
   */
  readonly withDisputed: boolean;
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const hourMs = 3_600_000;
const horizonsMs = {
  YEARLY: 12 * 366 * dayMs,
  MONTHLY: 5 * 366 * dayMs,
  WEEKLY: 2 * 366 * dayMs,
  DAILY: 400 * dayMs,
  HOURLY: 40 * dayMs,
  MINUTELY: 2 * dayMs,
  SECONDLY: 2 * hourMs,
};

/** Generates rules of every frequency with the parts that RFC 5545 allows together. */
export function randomRules(options: RandomRulesOptions): fc.Arbitrary<RuleCase> {
  const quarterHours = fc.integer({ min: 0, max: 6 * 366 * 96 });
  return fc.tuple(fc.constantFrom(...frequencies), quarterHours).chain(([frequency, quarters]) => {
    const startMs = Date.UTC(2020, 0, 1) + quarters * 900_000;
    return fc
      .record({ parts: partsOf(frequency, startMs, options), end: endOf(horizonsMs[frequency]) })
      .map(({ parts, end: { COUNT, untilMs } }) => {
        const weekStart = weekdays.indexOf(parts.WKST ?? 'MO');
        const daysIntoWeek = (toCalendarDay(Math.floor(startMs / dayMs)).weekday - weekStart + 7) % 7;
        const isMoved = frequency === 'WEEKLY' && parts.BYSETPOS !== null && !options.withDisputed;
        const ownStartMs = isMoved ? startMs - daysIntoWeek * dayMs : startMs;
        const UNTIL = untilMs === null ? null : writeLocal(ownStartMs + untilMs);
        const written = Object.entries({ FREQ: frequency, ...parts, COUNT, UNTIL });
        return {
          frequency,
          rule: written.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`])).join(';'),
          startMs: ownStartMs,
          endMs: ownStartMs + horizonsMs[frequency],
        };
      });
  });
}

/** Writes a local time as in a feed. */
export function writeLocal(localMs: number): string {
  return new Date(localMs).toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
}

/** Lists often contain what the start has, because most rules would match nothing otherwise. */
function partsOf(frequency: Frequency, startMs: number, { withDisputed }: RandomRulesOptions) {
  const is = (...names: string[]) => names.includes(frequency);
  const day = toCalendarDay(Math.floor(startMs / dayMs));
  const isWithinDay = is('HOURLY', 'MINUTELY', 'SECONDLY');
  const isFine = is('MINUTELY', 'SECONDLY');
  const list = (item: fc.Arbitrary<number | string>, maxLength: number, own: number | string, isAlways = false) =>
    fc
      .tuple(fc.uniqueArray(item, { minLength: 1, maxLength }), fc.integer({ min: 0, max: 2 }))
      .map(([items, luck]) => [...new Set(luck > 0 || isAlways ? [own, ...items] : items)].join());
  const numbers = (min: number, max: number, maxLength: number, own: number, isAlways = false) =>
    list(fc.integer({ min, max }), maxLength, own, isAlways);
  const ownWeekday = weekdays[day.weekday] ?? '';
  const weekday = fc.constantFrom(...weekdays);
  const numbered = (max: number) => fc.tuple(signed(max), weekday).map(([nth, name]) => `${nth}${name}`);
  const plainDays = list(weekday, 5, ownWeekday, isWithinDay);
  const numberedDays = (max: number) =>
    list(
      withDisputed ? fc.oneof(weekday, numbered(20)) : numbered(max),
      4,
      `${Math.ceil(day.monthDay / 7)}${ownWeekday}`,
    );
  return fc
    .record({
      INTERVAL: maybe(fc.integer({ min: 1, max: is('YEARLY') ? 3 : 5 }).map(String)),
      WKST: maybe(weekday),
      BYMONTH: maybe(numbers(1, 12, 8, day.month, isWithinDay)),
      BYWEEKNO: maybe(list(withDisputed ? signed(53) : signed(51), 9, 20), is('YEARLY')),
      BYYEARDAY: maybe(list(signed(366), 40, day.yearDay, isWithinDay), is('YEARLY') || isWithinDay),
      BYMONTHDAY: maybe(list(signed(31), 10, day.monthDay, isWithinDay), !is('WEEKLY')),
      BYDAY: maybe(plainDays),
      numberedOfYear: maybe(numberedDays(53), is('YEARLY')),
      numberedOfMonth: maybe(numberedDays(5), is('YEARLY', 'MONTHLY')),
      BYHOUR: maybe(numbers(0, 23, isFine ? 12 : 4, Math.floor(startMs / hourMs) % 24, isFine)),
      BYMINUTE: maybe(numbers(0, 59, isFine ? 20 : 3, Math.floor(startMs / 60_000) % 60)),
      BYSECOND: maybe(numbers(0, 59, is('SECONDLY') ? 20 : 2, 0)),
      BYSETPOS: maybe(list(isFine ? fc.constantFrom(1, -1) : signed(3), 2, 1)),
    })
    .map(({ numberedOfYear, numberedOfMonth, BYDAY, BYWEEKNO, BYSETPOS, ...others }) => {
      // Rules with weeks and numbered weekdays are refused, and those with weeks and no days.
      const ofMonthOrYear = others.BYMONTH === null ? (numberedOfYear ?? numberedOfMonth) : numberedOfMonth;
      const days = BYDAY ?? (BYWEEKNO === null ? ofMonthOrYear : null);
      const by = { ...others, BYDAY: days };
      const hasDays = days !== null || others.BYMONTHDAY !== null || others.BYYEARDAY !== null;
      const hasBy = Object.entries(by).some(([name, value]) => name.startsWith('BY') && value !== null);
      return { ...by, BYWEEKNO: hasDays ? BYWEEKNO : null, BYSETPOS: hasBy ? BYSETPOS : null };
    });
}

function endOf(horizonMs: number): fc.Arbitrary<{ COUNT: string | null; untilMs: number | null }> {
  return fc.oneof(
    fc.constant({ COUNT: null, untilMs: null }),
    fc.integer({ min: 1, max: 30 }).map((count) => ({ COUNT: String(count), untilMs: null })),
    fc.integer({ min: 1, max: 100 }).map((part) => ({ COUNT: null, untilMs: (part / 100) * horizonMs })),
  );
}

function signed(max: number): fc.Arbitrary<number> {
  return fc.tuple(fc.integer({ min: 1, max }), fc.constantFrom(1, 1, -1)).map(([number, sign]) => number * sign);
}

/** A part that most rules do not have. */
function maybe(part: fc.Arbitrary<string>, isAllowed = true): fc.Arbitrary<string | null> {
  return isAllowed
    ? fc.integer({ min: 0, max: 2 }).chain((luck) => (luck === 0 ? part : fc.constant(null)))
    : fc.constant(null);
}
