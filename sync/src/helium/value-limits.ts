/** Compares values with the limits of their columns' types. */
import type { Value } from '../record/fields.ts';

export interface TypedColumn {
  readonly name: string;
  /** As PostgreSQL writes it. */
  readonly type: string;
}

const integerBits: Readonly<Partial<Record<string, number>>> = { smallint: 15, integer: 31, bigint: 63 };

/**
 * Returns in one sentence why the column does not take the value; null when it does.
 *
 * @param showsText whether a text may be part of the sentence
 */
export function describeMisfit({ name, type }: TypedColumn, value: Value, showsText = true): string | null {
  if (typeof value === 'string') return describeLength(name, type, value, showsText);
  return typeof value === 'number' ? describeSize(name, type, value) : null;
}

const maxShownCharacters = 14;

function describeLength(name: string, type: string, value: string, showsText: boolean): string | null {
  const [, limit] = /^character(?: varying)?\((\d+)\)$/.exec(type) ?? [];
  const characters = [...value];
  // PostgreSQL cuts off spaces that are too many.
  if (limit === undefined || characters.slice(Number(limit)).every((character) => character === ' ')) return null;
  const excess = `has ${characters.length} characters; the column takes ${limit}.`;
  if (!showsText) return `${name} ${excess}`;
  const isLong = characters.length > maxShownCharacters;
  const shown = `${characters
    .slice(0, maxShownCharacters)
    .join('')
    .replace(/\p{Cc}/gu, '\uFFFD')}${isLong ? '…' : ''}`;
  return `${name}: '${shown}' ${excess}`;
}

function describeSize(name: string, type: string, value: number): string | null {
  const bits = integerBits[type];
  if (bits !== undefined) {
    const [min, max] = [-(2n ** BigInt(bits)), 2n ** BigInt(bits) - 1n];
    if (!Number.isInteger(value)) return `${name}: ${value} is not a whole number; the column takes no other.`;
    const isWithin = BigInt(value) >= min && BigInt(value) <= max;
    return isWithin ? null : `${name}: ${value} is outside the column's range (${min} to ${max}).`;
  }
  if (type === 'real' && !Number.isFinite(Math.fround(value))) return `${name}: ${value} is outside the range of real.`;
  const [, precision, scale] = /^numeric\((\d+),(-?\d+)\)$/.exec(type) ?? [];
  if (precision === undefined) return null;
  const digits = Number(precision) - Number(scale);
  // PostgreSQL rounds to the scale first.
  if (Math.abs(value) + 10 ** -Number(scale) / 2 < 10 ** digits) return null;
  const takes = digits === 1 ? '1 digit' : `${Math.max(0, digits)} digits`;
  return `${name}: ${value} is too large; the column takes ${takes} before the decimal point.`;
}
