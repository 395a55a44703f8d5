/**
 * Parses the components of an iCalendar text that define shifts. A line that cannot be read damages
 * the event or zone it belongs to, and nothing else.
 */
import { LineReader, type Property } from './read-line.ts';
import { splitLines, unfoldLines } from './unfold-lines.ts';
import { Unreadable } from './unreadable.ts';

/** An event or an observance of a zone. */
export interface FeedComponent {
  readonly properties: readonly Property[];
  /** Why its lines cannot be read as they are: "it has no end". */
  readonly damage: string | undefined;
}

/** A VTIMEZONE. */
export interface FeedZone extends FeedComponent {
  readonly observances: readonly FeedComponent[];
}

export interface FeedCalendar {
  /** METHOD and X-WR-TIMEZONE. */
  readonly properties: readonly Property[];
  readonly events: readonly FeedComponent[];
  readonly zones: readonly FeedZone[];
  /** Lines outside events and zones that cannot be read. */
  readonly unreadableLines: number;
}

interface OpenComponent extends FeedComponent {
  readonly name: string;
  readonly properties: Property[];
  readonly observances: OpenComponent[];
  damage: string | undefined;
}

interface OpenCalendar extends FeedCalendar {
  readonly properties: Property[];
  readonly events: OpenComponent[];
  readonly zones: OpenComponent[];
  unreadableLines: number;
}

const eventProperties = new Set([
  ...['UID', 'SUMMARY', 'STATUS', 'ATTENDEE', 'DTSTART', 'DTEND', 'DURATION'],
  ...['RRULE', 'EXRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID', 'SEQUENCE', 'LAST-MODIFIED', 'DTSTAMP'],
]);
const zoneProperties = new Set(['TZID', 'DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO', 'RRULE', 'RDATE']);
const calendarProperties = new Set(['METHOD', 'X-WR-TIMEZONE']);

/** Components that are directly in a calendar, so none of them can be within another. */
const outerComponents = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE', 'VAVAILABILITY']);

/**
 * Parses the calendars of a text. Throws Unreadable, whose message completes the sentence "The
 * calendar cannot be read: …" if there is none, or the last one is incomplete: half a roster must
 * not replace a whole one.
 */
export function parseCalendars(text: string): FeedCalendar[] {
  const parser = new CalendarParser();
  const lines = new LineReader();
  for (const line of splitLines(unfoldLines(text))) parser.add(lines.read(line), line);
  return parser.finish();
}

class CalendarParser {
  readonly #calendars: OpenCalendar[] = [];
  #calendar: OpenCalendar | undefined;
  /** The open components within the calendar, innermost last. */
  readonly #open: OpenComponent[] = [];
  /** Collects properties of an event whose beginning cannot be read, to name it. */
  #stray = createComponent('VEVENT');

  add(property: Property | undefined, line: string): void {
    if (!property) this.#addUnreadable(line);
    else if (property.name === 'BEGIN') this.#begin(property.value.trim().toUpperCase());
    else if (property.name === 'END') this.#end(property.value.trim().toUpperCase());
    else this.#addProperty(property);
  }

  finish(): FeedCalendar[] {
    if (this.#calendar) throw createSyntaxError('VCALENDAR does not end');
    if (this.#calendars.length === 0) throw createSyntaxError('it has no VCALENDAR');
    return this.#calendars;
  }

  #addUnreadable(line: string): void {
    const [outer, inner] = this.#open;
    const readable = line.replace(/\p{Cc}/gu, '').slice(0, 60);
    if (outer?.name === 'VTIMEZONE' || (outer?.name === 'VEVENT' && !inner))
      this.#damage(outer, `one of its lines has no name and value: ${readable}`);
    else if (!outer && this.#calendar) this.#calendar.unreadableLines += 1;
  }

  #begin(name: string): void {
    if (name === 'VCALENDAR') {
      if (this.#calendar) throw createSyntaxError('VCALENDAR does not end');
      this.#calendar = { properties: [], events: [], zones: [], unreadableLines: 0 };
      this.#calendars.push(this.#calendar);
    } else if (this.#calendar) {
      if (outerComponents.has(name)) this.#closeAll(this.#calendar);
      const component = createComponent(name);
      const [outer] = this.#open;
      if (outer?.name === 'VTIMEZONE' && this.#open.length === 1) outer.observances.push(component);
      if (!outer && name === 'VEVENT') this.#calendar.events.push(component);
      if (!outer && name === 'VTIMEZONE') this.#calendar.zones.push(component);
      this.#open.push(component);
    }
  }

  #end(name: string): void {
    const calendar = this.#calendar;
    if (!calendar) return;
    const index = this.#open.findLastIndex((component) => component.name === name);
    const [outer] = this.#open;
    if (name === 'VCALENDAR') {
      this.#closeAll(calendar);
      this.#calendar = undefined;
    } else if (index >= 0) {
      // A component that has no end of its own may have taken lines of the one around it.
      if (index < this.#open.length - 1 && outer) this.#damage(outer, 'one of its parts has no end');
      this.#open.length = index;
      if (index === 0 && !outerComponents.has(name)) this.#stray = createComponent('VEVENT');
    } else if (name === 'VEVENT') {
      if (outer) this.#damage(outer, 'it has no end');
      this.#open.length = 0;
      this.#addStray(calendar);
    } else if (outer) {
      this.#damage(outer, `it has an end of ${name.slice(0, 20)} without a beginning`);
    }
  }

  #addProperty(property: Property): void {
    const [outer, inner] = this.#open;
    const { name } = property;
    if (!outer) {
      if (calendarProperties.has(name)) this.#calendar?.properties.push(property);
      else if (eventProperties.has(name)) this.#stray.properties.push(property);
    } else if (outer.name === 'VEVENT') {
      if (!inner && eventProperties.has(name)) outer.properties.push(property);
    } else if (outer.name === 'VTIMEZONE') {
      if (this.#open.length <= 2 && zoneProperties.has(name)) (inner ?? outer).properties.push(property);
    } else if (!outerComponents.has(outer.name) && !inner && eventProperties.has(name)) {
      this.#stray.properties.push(property);
    }
  }

  /** Closes what is open within the calendar, and damages what should have ended before. */
  #closeAll(calendar: OpenCalendar): void {
    const [outer] = this.#open;
    if (outer) this.#damage(outer, 'it has no end');
    this.#open.length = 0;
    // A calendar may have some of these properties itself, but it has no start.
    if (this.#stray.properties.some(({ name }) => name === 'DTSTART')) this.#addStray(calendar);
  }

  #addStray(calendar: OpenCalendar): void {
    this.#damage(this.#stray, 'it has no beginning');
    calendar.events.push(this.#stray);
    this.#stray = createComponent('VEVENT');
  }

  #damage(component: OpenComponent, damage: string): void {
    component.damage ??= damage;
  }
}

function createComponent(name: string): OpenComponent {
  return { name, properties: [], observances: [], damage: undefined };
}

function createSyntaxError(reason: string): Unreadable {
  return new Unreadable(`it is not valid iCalendar (${reason})`);
}
