import ICAL from 'ical.js';
import type { FeedCalendar, Property } from './calendar-lines.ts';
import { describedClock, utcClock, type WallClock, zoneClock } from './wall-clock.ts';

/** A time as a feed writes it: what the wall shows, and by which clock. */
export interface FeedTime {
  readonly wallMs: number;
  readonly clock: WallClock;
  /** A day without a time. */
  readonly isDate: boolean;
}

/** The clocks of one feed. Days and times without a zone are read by the clock of `timeZone`. */
export class FeedClocks {
  readonly #calendar: FeedCalendar;
  readonly #own: WallClock;
  readonly #byName = new Map<string, WallClock>();

  constructor(calendar: FeedCalendar, timeZone: string) {
    this.#calendar = calendar;
    this.#own = this.#require(timeZone);
  }

  /** What the property says, all of it where it is a list; of a period its start. */
  read(property: Property): FeedTime[] {
    return property.value.split(',').map((text) => this.#readTime(property, text.split('/', 1)[0] ?? ''));
  }

  /** The time that a property with one value says. */
  readOne(property: Property): FeedTime {
    return this.#readTime(property, property.value);
  }

  #readTime({ name, parameters }: Property, text: string): FeedTime {
    const wallMs = wallMsOf(text);
    if (wallMs === undefined) throw new Error(`${name} is not a time`);
    if (text.endsWith('Z')) return { wallMs, clock: utcClock, isDate: false };
    const isDate = text.length === dateLength;
    const zone = isDate ? undefined : parameters.get('TZID');
    return { wallMs, clock: zone ? this.#require(zone) : this.#own, isDate };
  }

  /** A known name comes before the feed's description of it: feeds describe old rules, or one year only. */
  #require(name: string): WallClock {
    let clock = this.#byName.get(name);
    if (clock) return clock;
    clock = zoneClock(name) ?? zoneClock(name.split('/').slice(-2).join('/')) ?? this.#described(name);
    if (!clock) throw new Error(`it uses the time zone "${name.slice(0, 60)}" and does not say what that is`);
    this.#byName.set(name, clock);
    return clock;
  }

  #described(name: string): WallClock | undefined {
    for (const text of this.#calendar.zones) {
      const zone = new ICAL.Component(ICAL.parse(text));
      if (zone.getFirstPropertyValue('tzid') === name) return describedClock(new ICAL.Timezone(zone));
    }
    return undefined;
  }
}

const dateLength = 'YYYYMMDD'.length;
const timeLength = 'YYYYMMDDTHHMMSS'.length;

/** Undefined where the text is no day and no time. Read sign by sign: a feed has thousands of them. */
function wallMsOf(text: string): number | undefined {
  const isDate = text.length === dateLength;
  const isUtc = text.length === timeLength + 1 && text.endsWith('Z');
  if (!isDate && (text[dateLength] !== 'T' || !(isUtc || text.length === timeLength))) return undefined;
  const [year, month, day] = [digitsOf(text, 0, 4), digitsOf(text, 4, 2), digitsOf(text, 6, 2)];
  const [hour, minute, second] = isDate
    ? [0, 0, 0]
    : [digitsOf(text, 9, 2), digitsOf(text, 11, 2), digitsOf(text, 13, 2)];
  const isTime = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const isHour = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  return isTime && isHour ? Date.UTC(year, month - 1, day, hour, minute, second) : undefined;
}

/** The number that so many signs from there on write; negative where they are not all digits. */
function digitsOf(text: string, from: number, length: number): number {
  let number = 0;
  for (let at = from; at < from + length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NEGATIVE_INFINITY;
    number = number * 10 + digit;
  }
  return number;
}
