import ICAL from 'ical.js';
import type { FeedCalendar, Property } from './parse-calendar.ts';
import { describedClock, utcClock, type ZoneClock, zoneClock } from './zone-clock.ts';

/** A time in a feed: local time and the clock it belongs to. */
export interface FeedTime {
  readonly localMs: number;
  readonly clock: ZoneClock;
  /** A date without a time. */
  readonly isDate: boolean;
}

/** The clocks of one feed. Dates and times without a zone use `timeZone`. */
export class FeedClocks {
  readonly #calendar: FeedCalendar;
  readonly #own: ZoneClock;
  readonly #byName = new Map<string, ZoneClock>();

  constructor(calendar: FeedCalendar, timeZone: string) {
    this.#calendar = calendar;
    this.#own = this.#require(timeZone);
  }

  /** Reads all times of a property; for a period, its start. */
  read(property: Property): FeedTime[] {
    return property.value.split(',').map((text) => this.#readTime(property, text.split('/', 1)[0] ?? ''));
  }

  /** Reads the time of a property with a single value. */
  readOne(property: Property): FeedTime {
    return this.#readTime(property, property.value);
  }

  #readTime({ name, parameters }: Property, text: string): FeedTime {
    const localMs = parseLocalTime(text);
    if (localMs === undefined) throw new Error(`${name} is not a valid time`);
    if (text.endsWith('Z')) return { localMs, clock: utcClock, isDate: false };
    const isDate = text.length === dateLength;
    const zone = isDate ? undefined : parameters.get('TZID');
    return { localMs, clock: zone ? this.#require(zone) : this.#own, isDate };
  }

  /**
   * Returns the clock of a zone. A known zone takes precedence over the feed's own description,
   * which may be outdated or cover one year only.
   */
  #require(name: string): ZoneClock {
    let clock = this.#byName.get(name);
    if (clock) return clock;
    clock = zoneClock(name) ?? zoneClock(name.split('/').slice(-2).join('/')) ?? this.#described(name);
    if (!clock) throw new Error(`it uses the time zone "${name.slice(0, 60)}" without describing it`);
    this.#byName.set(name, clock);
    return clock;
  }

  #described(name: string): ZoneClock | undefined {
    for (const lines of this.#calendar.zones) {
      const zone = new ICAL.Component(ICAL.parse(lines.join('\r\n')));
      if (zone.getFirstPropertyValue('tzid') === name) return describedClock(new ICAL.Timezone(zone));
    }
    return undefined;
  }
}

const dateLength = 'YYYYMMDD'.length;
/** Matches a date or a date-time; a trailing `Z` means UTC. */
const timeShape = /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)Z?)?$/;

/** Returns undefined when the text is neither a date nor a date-time. */
function parseLocalTime(text: string): number | undefined {
  const found = timeShape.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0] = found;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}
