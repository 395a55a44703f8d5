/**
 * Converts input values to their stored form: choices as plain keys, dates without time, no
 * milliseconds. Anything undocumented is INVALID_VALUE. Our choices: integers are those that a
 * double holds exactly, text contains neither NUL nor lone surrogates, and tracks cannot be
 * written.
 */
import { invalidValue } from './api-problem.ts';
import { dateText, instantSeconds, instantText } from './calendar.ts';
import type { Field } from './data-model.ts';
import { isLowerCaseUuid, isRecord, type Json } from './json.ts';

/** Handles every field except those that hold bytes; null clears. */
export function storedValue(field: Field, value: unknown): Json {
  if (value === null) return null;
  const stored = valueByType[field.type](value, field);
  if (stored === undefined)
    throw invalidValue(`Invalid ${field.type} ${formatValue(value)} for field '${field.name}'.`);
  return stored;
}

export function storedReference(key: string, value: unknown): Json {
  if (value === null || isLowerCaseUuid(value)) return value;
  throw invalidValue(`Invalid id ${formatValue(value)} for '${key}'.`);
}

/** Returns undefined when the value does not fit the type. */
type ReadValue = (value: unknown, field: Field) => Json | undefined;

const unsupported: ReadValue = () => undefined;
const choice: ReadValue = (value, field) => {
  if (field.options.some(({ key }) => key === value)) return asKey(value);
  throw invalidValue(`Invalid option ${formatValue(value)} for field '${field.name}'.`);
};
const choices: ReadValue = (value, field) =>
  Array.isArray(value) ? [...new Set(value.map((one: unknown) => choice(one, field) ?? null))] : undefined;

const valueByType: Readonly<Record<Field['type'], ReadValue>> = {
  text: (value) => (typeof value === 'string' && isStorable(value) ? value : undefined),
  integer: (value) => (isInteger(value) ? value + 0 : undefined),
  number: (value) => (isNumber(value) ? value + 0 : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: (value) => (typeof value === 'string' ? dateText(value) : undefined),
  datetime: instant,
  'single-choice': choice,
  'single-choice-integer': choice,
  'multiple-choice': choices,
  'multiple-choice-integer': choices,
  location,
  photo: unsupported,
  signature: unsupported,
  attachment: unsupported,
  track: unsupported,
};

function instant(value: unknown): Json | undefined {
  const seconds = typeof value === 'string' ? instantSeconds(value) : undefined;
  return seconds === undefined ? undefined : instantText(seconds);
}

const locationParts = ['latitude', 'longitude', 'altitude', 'horizontal_accuracy', 'vertical_accuracy'] as const;

/** Official clients write a list of these parts, with the time at its end. */
function fromLocationList([...parts]: readonly unknown[]): unknown {
  if (parts.length < 6) return undefined;
  return Object.fromEntries([...locationParts, 'timestamp'].map((part, index) => [part, parts[index]]));
}

function location(written: unknown): Json | undefined {
  const value = Array.isArray(written) ? fromLocationList(written) : written;
  if (!isRecord(value)) return undefined;
  const { timestamp = null, ...given } = value;
  if (Object.keys(given).some((key) => !locationParts.some((part) => part === key))) return undefined;
  const numbers = locationParts.map((part) => [part, given[part] ?? null] as const);
  if (!numbers.every((entry): entry is [(typeof entry)[0], number | null] => entry[1] === null || isNumber(entry[1])))
    return undefined;
  const { latitude, longitude } = given;
  if (!isNumber(latitude) || !isNumber(longitude) || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    return undefined;
  const at = timestamp === null ? null : instant(timestamp);
  return at === undefined ? undefined : { ...Object.fromEntries(numbers), timestamp: at };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isInteger(value: unknown): value is number {
  return isNumber(value) && Number.isSafeInteger(value);
}

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

function asKey(value: unknown): Json | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

const maxShownLength = 80;

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength)}…`;
}
