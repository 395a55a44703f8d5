/**
 * Converts values from Journey to the form that `record/fields.ts` compares. A cleared value is
 * null on both sides. A value that Helium cannot store becomes an `UnsupportedValue`, never an
 * exception, because only one record is concerned.
 */
import type { Value } from '../record/fields.ts';
import { shortenReal } from './decimals.ts';
import type { FieldKind, Storage } from './object-map.ts';

/** Why a value cannot be synced, as the end of a sentence that starts with the field's name. */
export class UnsupportedValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
/** The usual form, which needs no truncation or conversion. */
const canonical = /^(?!0000)\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const maxShownLength = 60;

type PlainKind = Exclude<FieldKind, 'blob'>;
type ReadValue = (value: unknown, storage: Storage | undefined) => Value | UnsupportedValue;

/** Returns the id in lower case; undefined when it is not a UUID. */
export function parseUuid(value: unknown): string | undefined {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return uuid.test(lower) ? lower : undefined;
}

/**
 * @param value as Journey shows it: a missing key is null, booleans and choices may be `{key,
 * display}`
 */
export function valueFromJourney(
  kind: PlainKind,
  value: unknown,
  storage?: Storage | undefined,
): Value | UnsupportedValue {
  const plainValue = kind === 'boolean' || kind === 'choice' ? getChoiceKey(value) : value;
  return plainValue === null || plainValue === undefined ? null : readers[kind](plainValue, storage);
}

/**
 * Returns an instant as `YYYY-MM-DDTHH:MM:SSZ`, without fractions of a second; undefined when it is
 * invalid or not in the years 1 to 9999.
 */
function parseInstant(value: unknown): string | undefined {
  if (typeof value !== 'string' || !instant.test(value) || !isCalendarDay(value.slice(0, 10))) return undefined;
  if (canonical.test(value)) return value;
  const atMs = Date.parse(value);
  if (Number.isNaN(atMs) || !isWithinYears(atMs)) return undefined;
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

const readers: Readonly<Record<PlainKind, ReadValue>> = {
  text: readText,
  choice: readText,
  integer: readInteger,
  number: readNumber,
  boolean: (value) => (typeof value === 'boolean' ? value : unsupported(value, 'is neither true nor false')),
  date: readDate,
  datetime: (value) => parseInstant(value) ?? unsupported(value, 'is not a date and time between the years 1 and 9999'),
  reference: (value) => parseUuid(value) ?? unsupported(value, 'is not a UUID'),
};

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate. */
function readText(value: unknown, storage: Storage | undefined): Value | UnsupportedValue {
  if (typeof value !== 'string') return unsupported(value, 'is not text');
  if (value.includes('\0')) return new UnsupportedValue('contains a NUL character, which Helium cannot store');
  if (/\p{Surrogate}/u.test(value)) return new UnsupportedValue('contains half a character, which Helium cannot store');
  // PostgreSQL fills a char(n) with spaces, and compares it without them.
  return storage === 'char' ? value.replace(/ +$/, '') : value;
}

const int4 = { name: 'int', min: -(2 ** 31), max: 2 ** 31 - 1 };
/** Greater whole numbers may be the same double, whatever Helium's type holds. */
const exactIntegers = { name: '', min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const integerRanges: Readonly<Partial<Record<string, typeof int4>>> = {
  smallint: { name: 'smallint', min: -(2 ** 15), max: 2 ** 15 - 1 },
  bigint: exactIntegers,
  numeric: exactIntegers,
};

function readInteger(value: unknown, storage: Storage | undefined): Value | UnsupportedValue {
  const number = readNumber(value, undefined);
  if (typeof number !== 'number' || !Number.isInteger(number)) return unsupported(value, 'is not a whole number');
  const range = (storage && integerRanges[storage]) ?? int4;
  if (number >= range.min && number <= range.max) return number;
  return range === exactIntegers
    ? unsupported(value, 'is beyond 2^53, where a number in Journey is no longer exact')
    : unsupported(value, `is outside the range of Helium's ${range.name} (${range.min} to ${range.max})`);
}

/** Whole numbers beyond 2^53 arrive as digits, see `parse-exactly.ts`. */
function readNumber(value: unknown, storage: Storage | undefined): Value | UnsupportedValue {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return unsupported(value, 'is not a number');
  // Adding 0 removes the sign of zero, which some JSON readers lose.
  return storage === 'real' ? readReal(number + 0) : number + 0;
}

/** Returns the number as a 4-byte float stores it. PostgreSQL rejects what would become zero. */
function readReal(number: number): Value | UnsupportedValue {
  const stored = Math.fround(number);
  const fits = Number.isFinite(stored) && (stored === 0) === (number === 0);
  return fits ? shortenReal(stored) : unsupported(number, "is outside the range of Helium's real");
}

function readDate(value: unknown): Value | UnsupportedValue {
  const isDate = typeof value === 'string' && isCalendarDay(value) && value >= '0001';
  return isDate ? value : unsupported(value, 'is not a date between the years 1 and 9999');
}

/** `Date.parse` reads February 30 as March 1. */
function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  const day = Number(text.slice(8));
  return day <= 28 || day <= getDaysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function getDaysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

const minInstantMs = Date.parse('0001-01-01T00:00:00Z');
const maxInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

function isWithinYears(atMs: number): boolean {
  return atMs >= minInstantMs && atMs <= maxInstantMs;
}

function getChoiceKey(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'key' in value ? value.key : value;
}

function unsupported(value: unknown, complaint: string): UnsupportedValue {
  const text = JSON.stringify(value) ?? String(value);
  return new UnsupportedValue(
    `${text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength)}…`} ${complaint}`,
  );
}
