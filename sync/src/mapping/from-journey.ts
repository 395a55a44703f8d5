import { JourneyAttachment, type JourneyObject } from '@portal/platforms/journey/wire';
import { createFields, type Fields, type Value } from '../record/fields.ts';
import type { SeenFile } from '../record/waiting-file.ts';
import type { FieldMap, ObjectMap } from './object-map.ts';
import { parseUuid, UnsupportedValue, valueFromJourney } from './values.ts';

/** A file of a Journey object. */
interface AttachmentRef extends SeenFile {
  readonly column: string;
}

export interface ObjectValues {
  /** All mapped columns, except those in `attachments` and those named in `problem`. */
  readonly fields: Fields;
  readonly attachments: readonly AttachmentRef[];
  /** The values that Helium cannot store, by field; null when there are none. */
  readonly problem: string | null;
}

/**
 * Converts a Journey object to values of Helium's columns. Never throws, whatever the object
 * contains.
 */
export function fieldsFromJourney(map: ObjectMap, object: JourneyObject): ObjectValues {
  const fields = createFields();
  const attachments: AttachmentRef[] = [];
  const problems: string[] = parseUuid(object.id) === undefined ? [`The id ${object.id} is not a UUID.`] : [];
  for (const field of map.fields) {
    const value = field.kind === 'blob' ? readAttachment(object, field) : readValue(object, field, field.kind);
    if (value instanceof UnsupportedValue) problems.push(`${map.model}.${field.field} ${value.reason}.`);
    else if (typeof value === 'object' && value !== null) attachments.push(value);
    else fields[field.column] = value;
  }
  return { fields, attachments, problem: problems.length > 0 ? problems.join(' ') : null };
}

function readValue(
  object: JourneyObject,
  { field, storage }: FieldMap,
  kind: Exclude<FieldMap['kind'], 'blob'>,
): Value | UnsupportedValue {
  return valueFromJourney(kind, getOwn(object, kind === 'reference' ? `${field}_id` : field), storage);
}

/** Journey may leave out an empty field, whose name may be `constructor`. */
function getOwn(object: JourneyObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Reads `x_id`, which identifies the file, and `x`, which has its state and address. The address
 * may appear after the id.
 */
function readAttachment(object: JourneyObject, map: FieldMap): AttachmentRef | UnsupportedValue | null {
  const { column, field } = map;
  const id = getOwn(object, `${field}_id`) ?? null;
  const file = getOwn(object, field) ?? null;
  if (id === null && file === null) return null;
  if (typeof id !== 'string') return new UnsupportedValue('is a file without an id');
  const { data } = JourneyAttachment.safeParse(file);
  const state = data?.state ?? null;
  return { column, id, state, url: state === 'uploaded' ? (data?.original ?? null) : null };
}
