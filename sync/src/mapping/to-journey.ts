import type { JourneyFields, JourneyValue } from '@portal/platforms/journey/wire';
import type { HeliumBlob } from '../record/blob.ts';
import type { Fields, Value } from '../record/fields.ts';
import type { ObjectMap } from './object-map.ts';
import { Misfit } from './values.ts';

/**
 * Returns Journey's fields for the columns that `fields` names: plain values, null to clear. Skips
 * columns that are not mapped. Returns a `Misfit`, which starts with the field's name, for a value
 * that JSON cannot express. Throws when the bytes of a file are not among `blobs`: that would clear
 * it.
 */
export function fieldsToJourney(
  map: ObjectMap,
  fields: Fields,
  blobs: Readonly<Record<string, HeliumBlob>> = {},
): JourneyFields | Misfit {
  const object: Record<string, JourneyValue> = {};
  for (const { column, field, kind } of map.fields) {
    const value = fields[column];
    if (value === undefined) continue;
    if (!isSayable(value)) return new Misfit(`${map.model}.${field}: ${value} cannot be said to Journey`);
    if (kind === 'reference') object[`${field}_id`] = value;
    else object[field] = kind === 'blob' && value !== null ? fileOf(`${map.table}.${column}`, blobs[column]) : value;
  }
  return object;
}

/** JSON writes infinities and not-a-number as null, which would clear the field. */
function isSayable(value: Value): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}

function fileOf(column: string, blob: HeliumBlob | undefined): JourneyValue {
  if (!blob) throw new Error(`The bytes of ${column} are missing.`);
  return { base64: blob.bytes.toString('base64'), filename: journeyFileName(blob.fileName) };
}

const fileNameMax = 100;

/**
 * Journey accepts lower-case letters, digits, spaces and `_ - .`; a long name keeps its end, which
 * contains the type.
 */
export function journeyFileName(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9_\-. ]/g, '_')
    .trim();
  return plain.slice(-fileNameMax).trim() || 'file';
}
