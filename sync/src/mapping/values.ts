/**
 * Converts values from Journey to the form that `record/fields.ts` compares. A cleared value is
 * null on both sides. A value that Helium cannot store is a `Misfit`, never an exception, because
 * it concerns one record alone.
 */
import type { Value } from '../record/fields.ts';
import type { FieldKind } from './object-map.ts';

/** Why a value cannot be synced, as the end of a sentence that starts with the field's name. */
export class Misfit {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const int4Max = 2 ** 31 - 1;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
/** The usual form, in which nothing has to be cut or converted. */
const canonical = /^(?!0000)\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const shownMax = 60;

/** The id in lower case, or undefined when it is no uuid. */
export function uuidOf(value: unknown): string | undefined {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return uuid.test(lower) ? lower : undefined;
}

/**
 * @param value As Journey shows it: a missing key is null, booleans and choices may come as `{key,
 * display}`.
 */
export function valueFromJourney(kind: Exclude<FieldKind, 'blob'>, value: unknown): Value | Misfit {
  const bare = kind === 'boolean' || kind === 'choice' ? keyOf(value) : value;
  return bare === null || bare === undefined ? null : readers[kind](bare);
}

/**
 * Returns an instant as `YYYY-MM-DDTHH:MM:SSZ` without fractions of a second; undefined when it is
 * none, or not in the years 1 to 9999.
 */
function instantOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !instant.test(value) || !isDay(value.slice(0, 10))) return undefined;
  if (canonical.test(value)) return value;
  const atMs = Date.parse(value);
  if (Number.isNaN(atMs) || !isWithinYears(atMs)) return undefined;
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

const readers: Readonly<Record<Exclude<FieldKind, 'blob'>, (value: unknown) => Value | Misfit>> = {
  text: readText,
  choice: readText,
  integer: readInteger,
  number: readNumber,
  boolean: (value) => (typeof value === 'boolean' ? value : misfit(value, 'is neither true nor false')),
  date: readDate,
  datetime: (value) => instantOf(value) ?? misfit(value, 'is no date and time of the years 1 to 9999'),
  reference: (value) => uuidOf(value) ?? misfit(value, 'is no UUID'),
};

/** PostgreSQL holds no NUL, and UTF-8 no lone half of a surrogate pair. */
function readText(value: unknown): Value | Misfit {
  if (typeof value !== 'string') return misfit(value, 'is no text');
  if (value.includes('\0')) return new Misfit('holds a NUL character, which Helium cannot keep');
  return /\p{Surrogate}/u.test(value) ? new Misfit('holds half a character, which Helium cannot keep') : value;
}

function readInteger(value: unknown): Value | Misfit {
  const number = readNumber(value);
  if (typeof number !== 'number' || !Number.isInteger(number)) return misfit(value, 'is no whole number');
  const fits = number <= int4Max && number >= -int4Max - 1;
  return fits ? number : misfit(value, "is beyond Helium's int, which ends at 2147483647");
}

/**
 * Whole numbers beyond 2^53 come as their digits, see `parse-exactly.ts`; Helium's decimal is a
 * double like ours.
 */
function readNumber(value: unknown): Value | Misfit {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  // Without the sign of zero, which JSON's readers lose here and there.
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : misfit(value, 'is no number');
}

function readDate(value: unknown): Value | Misfit {
  const isDate = typeof value === 'string' && isDay(value) && value >= '0001';
  return isDate ? value : misfit(value, 'is no date of the years 1 to 9999');
}

/** `Date.parse` takes the 30th of February for the 1st of March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  const day = Number(text.slice(8));
  return day <= 28 || day <= daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

const initialMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

function isWithinYears(atMs: number): boolean {
  return atMs >= initialMs && atMs <= lastMs;
}

function keyOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'key' in value ? value.key : value;
}

function misfit(value: unknown, what: string): Misfit {
  const text = JSON.stringify(value) ?? String(value);
  return new Misfit(`${text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`} ${what}`);
}
