/**
 * The lines of an iCalendar text (RFC 5545, 3.1) that say something of turns. The library makes
 * objects of every line, which is most of the time that a feed takes; rules, durations and
 * described zones are still read by it.
 */

export interface Property {
  /** In capitals: 'DTSTART'. */
  readonly name: string;
  /** By their names in capitals. */
  readonly parameters: ReadonlyMap<string, string>;
  /** As it is written. */
  readonly value: string;
}

export interface FeedCalendar {
  /** What each VEVENT says of its turns. */
  readonly events: readonly (readonly Property[])[];
  /** The lines of each VTIMEZONE. */
  readonly zones: readonly (readonly string[])[];
}

const eventProperties = new Set([
  ...['UID', 'SUMMARY', 'STATUS', 'ATTENDEE', 'DTSTART', 'DTEND', 'DURATION'],
  ...['RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID'],
]);

/**
 * The calendars of a text. Throws an Error whose message ends the sentence "The calendar cannot be
 * read: …".
 */
export function parseCalendars(text: string): FeedCalendar[] {
  const calendars: { events: Property[][]; zones: string[][] }[] = [];
  const heads = new Map<string, Head>();
  /** The names of the components that are open, the innermost last, a slash before each. */
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
      if (!path.endsWith(ended)) throw createSyntaxError(`${line} ends what did not begin`);
      path = path.slice(0, -ended.length);
    }
  }
  if (path !== '') throw createSyntaxError(`${path.split('/')[1]} does not end`);
  if (calendars.length === 0) throw createSyntaxError('there is no VCALENDAR in it');
  return calendars;
}

function getComponent({ value }: Property): string {
  return value.trim().toUpperCase();
}

/** Without line ends, put together where they were folded, and without those that are empty. */
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

/** What comes before the value of a line: of the same few kinds in all events of a feed. */
type Head = Pick<Property, 'name' | 'parameters'>;

function readLine(line: string, heads: Map<string, Head>): Property {
  const colon = findValueColon(line);
  if (colon < 1) throw createSyntaxError(`there is a line without a name and a value: ${line.slice(0, 60)}`);
  const written = line.slice(0, colon);
  let head = heads.get(written);
  if (!head) {
    head = readHead(written);
    heads.set(written, head);
  }
  return { name: head.name, parameters: head.parameters, value: line.slice(colon + 1) };
}

/** Where the value begins: at the first colon that is not between quotation marks. */
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

/** What a parameter cannot hold stands behind a circumflex (RFC 6868). */
function unescapeParameter(parameter: string): string {
  return parameter.replace(/\^([n'^])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === "'" ? '"' : sign));
}

function createSyntaxError(reason: string): Error {
  return new Error(`it is not iCalendar (${reason})`);
}
