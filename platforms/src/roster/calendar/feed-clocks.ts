import ICAL from 'ical.js';
import { describedClock, utcClock, type WallClock, wallOf, zoneClock } from './wall-clock.ts';

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

  /** Null where the property holds no time. */
  read(property: ICAL.Property, value: unknown = property.getFirstValue()): FeedTime | null {
    const time = value instanceof ICAL.Period ? value.start : value;
    if (!(time instanceof ICAL.Time)) return null;
    const wallMs = wallOf(time);
    if (Number.isNaN(wallMs)) throw new Error(`${property.name.toUpperCase()} is not a time`);
    return { wallMs, clock: this.#clockOf(property, time), isDate: time.isDate };
  }

  #clockOf(property: ICAL.Property, time: ICAL.Time): WallClock {
    if (time.isDate) return this.#own;
    if (time.zone === ICAL.Timezone.utcTimezone) return utcClock;
    const name = property.getFirstParameter('tzid');
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
