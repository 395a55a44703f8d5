export interface Property {
  /** In upper case: 'DTSTART'. */
  readonly name: string;
  /** Keyed by name in upper case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The raw text. */
  readonly value: string;
}

/** The part of a line before its value. The events of a feed share a few of these. */
type Head = Pick<Property, 'name' | 'parameters'>;

/** Their values have no colon, so a zone before them may have one even without quotation marks. */
const timeProperties = new Set(['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE', 'EXDATE']);

/** Reads unfolded lines (RFC 5545, 3.1). */
export class LineReader {
  /** Null for those that cannot be read. */
  readonly #heads = new Map<string, Head | null>();

  /** Returns undefined for a line without a name and a value. */
  read(line: string): Property | undefined {
    const colon = findValueColon(line);
    if (colon < 1) return undefined;
    const head = this.#readHead(line.slice(0, colon));
    if (!head) return undefined;
    const property = { name: head.name, parameters: head.parameters, value: line.slice(colon + 1) };
    if (!timeProperties.has(head.name) || !property.value.includes(':')) return property;
    const last = line.lastIndexOf(':');
    const wholeHead = this.#readHead(line.slice(0, last));
    return wholeHead ? { ...wholeHead, value: line.slice(last + 1) } : undefined;
  }

  #readHead(written: string): Head | null {
    let head = this.#heads.get(written);
    if (head === undefined) {
      head = readHead(written);
      this.#heads.set(written, head);
    }
    return head;
  }
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

const nameShape = /^\s*([A-Za-z0-9-]+)\s*(?=;|$)/;
const parameterShape = /;([^=;"]+)=((?:"[^"]*"|[^;"])*)/y;

function readHead(written: string): Head | null {
  const [start, name] = nameShape.exec(written) ?? [];
  if (start === undefined || name === undefined) return null;
  const parameters = new Map<string, string>();
  parameterShape.lastIndex = start.length;
  while (parameterShape.lastIndex < written.length) {
    const [, key = '', value] = parameterShape.exec(written) ?? [];
    if (value === undefined) return null;
    parameters.set(key.trim().toUpperCase(), readParameter(key, value));
  }
  return { name: name.toUpperCase(), parameters };
}

/** Returns the first of several values. The name of a zone may have commas without being quoted. */
function readParameter(key: string, value: string): string {
  const [, quoted] = /^\s*"([^"]*)"/.exec(value) ?? [];
  const isZone = key.trim().toUpperCase() === 'TZID';
  return unescapeParameter(quoted ?? (isZone ? value : (value.split(',', 1)[0] ?? ''))).trim();
}

/**
 * Decodes characters that a parameter cannot contain, which are escaped with a circumflex (RFC
 * 6868).
 */
function unescapeParameter(parameter: string): string {
  return parameter.replace(/\^([n'^])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === "'" ? '"' : sign));
}
