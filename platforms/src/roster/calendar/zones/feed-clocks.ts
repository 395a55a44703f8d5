import { type FeedTime, parseTime } from '../feed-time.ts';
import type { FeedCalendar, FeedZone } from '../parse-calendar.ts';
import type { Property } from '../read-line.ts';
import { Unreadable } from '../unreadable.ts';
import { createDescribedClock } from './described-clock.ts';
import { windowsZones } from './windows-zones.ts';
import { createFixedClock, findZoneClock, utcClock, type ZoneClock } from './zone-clock.ts';

/**
 * The clocks of one calendar. Dates and times without a zone use the calendar's own zone, if it
 * names one, and `timeZone` otherwise. A description is only read when its zone is used.
 */
export class FeedClocks {
  readonly #zones: readonly FeedZone[];
  readonly #warn: (warning: string) => void;
  readonly #own: ZoneClock;
  readonly #byName = new Map<string, ZoneClock | Unreadable>();

  constructor({ zones, properties }: FeedCalendar, timeZone: string, warn: (warning: string) => void) {
    this.#zones = zones;
    this.#warn = warn;
    const named = properties.find(({ name }) => name === 'X-WR-TIMEZONE')?.value.trim() ?? '';
    this.#own = (named === '' ? undefined : this.#findOwn(named, timeZone)) ?? this.#require(timeZone);
  }

  /** Reads the time of a property, or one of its times. Throws Unreadable. */
  readTime({ name, parameters }: Property, text: string): FeedTime {
    const time = parseTime(text);
    if (!time) throw new Unreadable(`${name} is not a valid time`);
    const { localMs, isDate, isUtc } = time;
    const zone = isDate || isUtc ? undefined : parameters.get('TZID');
    return { localMs, isDate, clock: isUtc ? utcClock : zone ? this.#require(zone) : this.#own };
  }

  #findOwn(name: string, timeZone: string): ZoneClock | undefined {
    const clock = this.#find(name);
    if (!clock) this.#warn(`The calendar's time zone ${quote(name)} is unknown. ${timeZone} was used instead.`);
    return clock;
  }

  #require(name: string): ZoneClock {
    const known = this.#byName.get(name);
    const clock = known ?? this.#find(name) ?? new Unreadable(`its time zone ${quote(name)} is unknown`);
    if (!known) this.#byName.set(name, clock);
    if (clock instanceof Unreadable) throw clock;
    return clock;
  }

  /**
   * A zone with a slash in its name is a known one, whose description in the feed may be outdated
   * or cover one year only. Other names are first what the feed describes (RFC 5545, 3.2.19).
   */
  #find(name: string): ZoneClock | undefined {
    const [last = name] = name.split('/').slice(-1);
    return (
      findNamedRegion(name) ??
      this.#findDescribed(name) ??
      (/^[a-z]/i.test(last) ? findZoneClock(last) : undefined) ??
      findWindowsZone(name) ??
      this.#findOffset(name)
    );
  }

  #findDescribed(name: string): ZoneClock | undefined {
    const isNamed = ({ properties }: FeedZone) =>
      properties.some((one) => one.name === 'TZID' && simplify(one.value) === simplify(name));
    for (const zone of this.#zones.filter(isNamed)) {
      try {
        return createDescribedClock(zone);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        this.#warn(`The description of the time zone ${quote(name)} was skipped: ${error.message}.`);
      }
    }
    return undefined;
  }

  /** Reads names for people, which start with an offset: "(UTC+02:00) Harare, Pretoria". */
  #findOffset(name: string): ZoneClock | undefined {
    const [, sign, hours, minutes = '0'] = /^\(?(?:UTC|GMT)?\s*([+-])(\d\d?):?([0-5]\d)?(?:\)|$)/i.exec(name) ?? [];
    if (sign === undefined || Number(hours) > 14) return undefined;
    const offsetMins = Number(hours) * 60 + Number(minutes);
    this.#warn(`The time zone ${quote(name)} is unknown. Its offset was used, all year.`);
    return createFixedClock((sign === '-' ? -offsetMins : offsetMins) * 60_000);
  }
}

/** Finds an IANA zone, also behind a vendor's path: "/example.org/1/Europe/London". */
function findNamedRegion(name: string): ZoneClock | undefined {
  const parts = name.split('/').map((part) => part.trim());
  for (let from = 0; from < parts.length - 1; from++) {
    const clock = findZoneClock(parts.slice(from).join('/'));
    if (clock) return clock;
  }
  return undefined;
}

function findWindowsZone(name: string): ZoneClock | undefined {
  const zone = windowsZones[name.toUpperCase()];
  return zone === undefined ? undefined : findZoneClock(zone);
}

/** Blanks around a name, quotation marks and case do not matter. */
function simplify(name: string): string {
  return name
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase();
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}
