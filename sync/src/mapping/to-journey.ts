import { shortenValue } from '@portal/kit/shorten-value';
import type { JourneyFields, JourneyValue } from '@portal/platforms/journey/wire';
import type { HeliumBlob } from '../record/blob.ts';
import type { Fields, Value } from '../record/fields.ts';
import { journeyFileName } from './file-values.ts';
import type { FieldMap, ObjectMap } from './object-map.ts';
import { UnsupportedValue } from './values.ts';

/**
 * Converts the columns in `fields` to Journey's fields: plain values, null to clear. Skips columns
 * that are not mapped. Returns an `UnsupportedValue`, which starts with the field's name, for a
 * value that JSON cannot express. Throws when the bytes of a file are missing in `blobs`, because
 * that would clear it.
 */
export function fieldsToJourney(
  map: ObjectMap,
  fields: Fields,
  blobs: Readonly<Record<string, HeliumBlob>> = {},
): JourneyFields | UnsupportedValue {
  const object: Record<string, JourneyValue> = {};
  for (const { column, field, kind } of map.fields) {
    const value = Object.hasOwn(fields, column) ? fields[column] : undefined;
    if (value === undefined) continue;
    const problem = findNumberProblem(kind, value);
    if (problem !== null) return new UnsupportedValue(`${map.model}.${field}: ${problem}`);
    if (kind === 'reference') object[`${field}_id`] = value;
    else
      object[field] =
        kind === 'blob' && value !== null ? toJourneyFile(`${map.table}.${column}`, blobs[column]) : value;
  }
  return object;
}

/**
 * JSON writes infinities and NaN as null, which would clear the field. A number that only its text
 * expresses would become another one.
 */
function findNumberProblem(kind: FieldMap['kind'], value: Value): string | null {
  if (kind !== 'integer' && kind !== 'number') return null;
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return null;
  const shown = shortenValue(String(value));
  return /^-?\d/.test(shown) ? `${shown} is not a number that Journey can hold` : `${shown} cannot be sent to Journey`;
}

function toJourneyFile(column: string, blob: HeliumBlob | undefined): JourneyValue {
  if (!blob) throw new Error(`The bytes of ${column} are missing.`);
  return { base64: blob.bytes.toString('base64'), filename: journeyFileName(blob.fileName) };
}
