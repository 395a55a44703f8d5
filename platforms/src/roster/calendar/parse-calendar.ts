/**
 * Parses the lines of an iCalendar text (RFC 5545, 3.1) that define shifts. The ical.js library
 * creates objects for every line, which would take most of the time. It still parses rules,
 * durations, and time zone descriptions.
 */

export interface Property {
  /** In upper case: 'DTSTART'. */
  readonly name: string;
  /** Keyed by name in upper case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The raw text. */
  readonly value: string;
}

export interface FeedCalendar {
  /** The relevant properties of each VEVENT. */
  readonly events: readonly (readonly Property[])[];
  /** The lines of each VTIMEZONE. */
  readonly zones: readonly (readonly string[])[];
}

const eventProperties = new Set([
  ...['UID', 'SUMMARY', 'STATUS', 'ATTENDEE', 'DTSTART', 'DTEND', 'DURATION'],
  ...['RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID'],
]);

/**
 * Parses the calendars of a text. Throws an Error whose message completes the sentence "The
 * calendar cannot be read: …".
 */
export function parseCalendars(text: string): FeedCalendar[] {
  const calendars: { events: Property[][]; zones: string[][] }[] = [];
  const heads = new Map<string, Head>();
  /** The open components, innermost last, each after a slash. */
  let path = '';
  for (const line of unfoldLines(text)) {
    const property = readLine(line, heads);
    if (property.name === 'BEGIN') {
      path += `/${getComponent(property)}`;
      if (path === '/VCALENDAR') calendars.push({ events: [], zones: [] });
      if (path === '/VCALENDAR/VEVENT') calendars.at(-1)?.events.push([]);
      if (path === '/VCALENDAR/VTIMEZONE') calendars.at(-1)?.zones.push([]);
    }
    const isRelevant = path === '/VCALENDAR/VEVENT' && eventProperties.has(property.name);
    if (isRelevant) calendars.at(-1)?.events.at(-1)?.push(property);
    if (path.startsWith('/VCALENDAR/VTIMEZONE')) calendars.at(-1)?.zones.at(-1)?.push(line);
    if (property.name === 'END') {
      const ended = `/${getComponent(property)}`;
      if (!path.endsWith(ended)) throw createSyntaxError(`${line} ends a component that did not begin`);
      path = path.slice(0, -ended.length);
    }
  }
  if (path !== '') throw createSyntaxError(`${path.split('/')[1]} does not end`);
  if (calendars.length === 0) throw createSyntaxError('it has no VCALENDAR');
  return calendars;
}

function getComponent({ value }: Property): string {
  return value.trim().toUpperCase();
}

/** Yields the unfolded lines without line breaks, skipping empty ones. */
function* unfoldLines(text: string): Iterable<string> {
  const whole = /\n[ \t]/.test(text) ? text.replace(/\r?\n[ \t]/g, '') : text;
  let at = whole.startsWith('\uFEFF') ? 1 : 0;
  while (at < whole.length) {
    const found = whole.indexOf('\n', at);
    const next = found < 0 ? whole.length : found;
    const end = whole[next - 1] === '\r' ? next - 1 : next;
    if (end > at) yield whole.slice(at, end);
    at = next + 1;
  }
}

/** The part of a line before its value. The events of a feed share a few of these. */
type Head = Pick<Property, 'name' | 'parameters'>;

function readLine(line: string, heads: Map<string, Head>): Property {
  const colon = findValueColon(line);
  if (colon < 1) throw createSyntaxError(`a line has no name and value: ${line.slice(0, 60)}`);
  const written = line.slice(0, colon);
  let head = heads.get(written);
  if (!head) {
    head = readHead(written);
    heads.set(written, head);
  }
  return { name: head.name, parameters: head.parameters, value: line.slice(colon + 1) };
}

/** Finds the first colon outside quotation marks. */
function findValueColon(line: string): number {
  const colon = line.indexOf(':');
  const quote = line.indexOf('"');
  if (quote < 0 || colon < quote) return colon;
  let isQuoted = false;
  for (let at = quote; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ':' && !isQuoted) return at;
  }
  return -1;
}

const parameterShape = /;([^=;]+)=(?:"([^"]*)"|([^;,]*))/g;

function readHead(written: string): Head {
  const [name = ''] = written.split(';', 1);
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, plain = ''] of written.slice(name.length).matchAll(parameterShape))
    parameters.set(key.toUpperCase(), unescapeParameter(quoted ?? plain));
  return { name: name.toUpperCase(), parameters };
}

/**
 * Decodes characters that a parameter cannot contain, which are escaped with a circumflex (RFC
 * 6868).
 */
function unescapeParameter(parameter: string): string {
  return parameter.replace(/\^([n'^])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === "'" ? '"' : sign));
}

function createSyntaxError(reason: string): Error {
  return new Error(`it is not valid iCalendar (${reason})`);
}
