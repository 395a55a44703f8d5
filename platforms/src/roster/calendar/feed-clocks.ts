import ICAL from 'ical.js';
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
  readonly #calendar: ICAL.Component;
  readonly #own: WallClock;
  readonly #byName = new Map<string, WallClock>();

  constructor(calendar: ICAL.Component, timeZone: string) {
    this.#calendar = calendar;
    this.#own = this.#require(timeZone);
  }

  /** What the property says, all of it where it is a list; undefined where there is no such property. */
  read(property: ICAL.Property): FeedTime[];
  read(property: ICAL.Property | null): FeedTime[] | undefined;
  read(property: ICAL.Property | null): FeedTime[] | undefined {
    if (property === null) return undefined;
    // As it was parsed: making a time of the library's own looks through the whole calendar for its zone.
    const [name, , type, ...values]: unknown[] = property.toJSON();
    return values.map((value) => {
      const text = String(type === 'period' && Array.isArray(value) ? value[0] : value);
      const isDate = type === 'date';
      const isUtc = text.endsWith('Z');
      const wallMs = Date.parse(isDate || isUtc ? text : `${text}Z`);
      if (Number.isNaN(wallMs)) throw new Error(`${String(name).toUpperCase()} is not a time`);
      return { wallMs, clock: isUtc ? utcClock : this.#clockOf(property, isDate), isDate };
    });
  }

  #clockOf(property: ICAL.Property, isDate: boolean): WallClock {
    const name = isDate ? undefined : property.getFirstParameter('tzid');
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
    const component = this.#calendar
      .getAllSubcomponents('vtimezone')
      .find((zone) => zone.getFirstPropertyValue('tzid') === name);
    return component && describedClock(new ICAL.Timezone(component));
  }
}
