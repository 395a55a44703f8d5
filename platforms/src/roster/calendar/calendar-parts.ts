/**
 * An iCalendar text as the library parses it (jCal, RFC 7265), read as it is. The library's own objects for events and
 * properties cost several times as much as its parsing.
 */
import ICAL from 'ical.js';

export type Property = readonly [
  name: string,
  parameters: Readonly<Record<string, unknown>>,
  type: string,
  ...values: readonly unknown[],
];

export interface CalendarPart {
  /** 'vcalendar', 'vevent', 'vtimezone' … */
  readonly name: string;
  readonly properties: readonly Property[];
  readonly parts: readonly CalendarPart[];
  /** For the library's own objects. */
  readonly jCal: unknown[];
}

/** The calendars of a text. Throws an Error whose message ends the sentence "The calendar cannot be read: …". */
export function parseCalendars(text: string): CalendarPart[] {
  let parsed: unknown;
  try {
    parsed = ICAL.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`it is not iCalendar (${error instanceof Error ? error.message.slice(0, 100) : 'unknown reason'})`);
  }
  // One component is the answer itself, several are a list of them.
  const calendars = partsOf(isPart(parsed) ? [parsed] : parsed).filter(({ name }) => name === 'vcalendar');
  if (calendars.length === 0) throw new Error('it is not iCalendar (there is no VCALENDAR in it)');
  return calendars;
}

export function findProperty({ properties }: CalendarPart, name: string): Property | undefined {
  for (const property of properties) if (property[0] === name) return property;
  return undefined;
}

export function findProperties(part: CalendarPart, name: string): readonly Property[] {
  return findProperty(part, name) === undefined ? none : part.properties.filter((property) => property[0] === name);
}

const none: readonly Property[] = [];

/** The first value of a property that is a text; undefined where there is none. */
export function textOf(property: Property | undefined): string | undefined {
  const value = property?.[3];
  return typeof value === 'string' ? value : undefined;
}

/** A parameter's text, the first one where there are several. */
export function parameterOf(property: Property | undefined, name: string): string | undefined {
  const value = property?.[1][name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

function partsOf(list: unknown): CalendarPart[] {
  const components: unknown[] = Array.isArray(list) ? list : [];
  return components.filter(isPart).map((jCal) => ({
    name: jCal[0],
    properties: jCal[1].filter(isProperty),
    parts: partsOf(jCal[2]),
    jCal,
  }));
}

function isPart(value: unknown): value is [name: string, properties: unknown[], parts: unknown[]] {
  return Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1]) && Array.isArray(value[2]);
}

function isProperty(value: unknown): value is Property {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'object' && value[1] !== null;
}
