import type { Value } from '../record/fields.ts';
import type { FieldMap } from './object-map.ts';
import { UnsupportedValue, valueFromJourney } from './values.ts';

/**
 * Returns the value that a field has when the page shows this text for it; undefined when the field
 * cannot hold it.
 */
export function parseSearchValue({ kind, storage }: FieldMap, text: string): NonNullable<Value> | undefined {
  if (kind === 'blob') return undefined;
  const value = valueFromJourney(kind, toTyped(kind, text), storage);
  return value instanceof UnsupportedValue || value === null ? undefined : value;
}

/** Fewer characters are part of most texts. */
const minPartLength = 3;

/**
 * Returns what texts are searched for if they only contain the value; undefined if the value is too
 * short for that, or the field is no text or cannot hold it.
 */
export function parseSearchedPart(field: FieldMap, value: string): string | undefined {
  const part = value.trim();
  if (field.kind !== 'text' || part.length < minPartLength || parseSearchValue(field, part) === undefined)
    return undefined;
  return part;
}

function toTyped(kind: FieldMap['kind'], text: string): unknown {
  const trimmed = text.trim();
  switch (kind) {
    case 'integer':
    case 'number':
      return trimmed === '' ? null : Number(trimmed);
    case 'boolean':
      return trimmed === 'true' || (trimmed === 'false' ? false : null);
    case 'datetime':
      return isoTime.test(trimmed) ? `${trimmed.replace(' ', 'T')}Z` : trimmed;
    case 'date':
    case 'reference':
      return trimmed;
    default:
      return text;
  }
}

/** Helium's form, which has no zone: it is UTC. */
const isoTime = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;
