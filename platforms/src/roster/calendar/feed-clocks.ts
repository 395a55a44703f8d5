import ICAL from 'ical.js';
import { type CalendarPart, findProperty, type Property, parameterOf, textOf } from './calendar-parts.ts';
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
  readonly #calendar: CalendarPart;
  readonly #own: WallClock;
  readonly #byName = new Map<string, WallClock>();

  constructor(calendar: CalendarPart, timeZone: string) {
    this.#calendar = calendar;
    this.#own = this.#require(timeZone);
  }

  /** What the property says, all of it where it is a list. */
  read(property: Property): FeedTime[] {
    const [, , , ...values] = property;
    return values.map((value) => this.#readValue(property, value));
  }

  /** The first time that the property says; undefined where there is none. */
  readFirst(property: Property | undefined): FeedTime | undefined {
    return property && property.length > 3 ? this.#readValue(property, property[3]) : undefined;
  }

  #readValue(property: Property, value: unknown): FeedTime {
    const [name, , type] = property;
    const text = String(type === 'period' && Array.isArray(value) ? value[0] : value);
    const isDate = type === 'date';
    const isUtc = text.endsWith('Z');
    const wallMs = Date.parse(isDate || isUtc ? text : `${text}Z`);
    if (Number.isNaN(wallMs)) throw new Error(`${name.toUpperCase()} is not a time`);
    return { wallMs, clock: isUtc ? utcClock : this.#clockOf(property, isDate), isDate };
  }

  #clockOf(property: Property, isDate: boolean): WallClock {
    const name = isDate ? undefined : parameterOf(property, 'tzid');
    return name ? this.#require(name) : this.#own;
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
    const zone = this.#calendar.parts.find(
      (part) => part.name === 'vtimezone' && textOf(findProperty(part, 'tzid')) === name,
    );
    return zone && describedClock(new ICAL.Timezone(new ICAL.Component(zone.jCal)));
  }
}
