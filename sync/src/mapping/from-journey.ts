import { JourneyAttachment, type JourneyObject } from '@portal/platforms/journey/wire';
import type { Fields, Value } from '../record/fields.ts';
import type { FieldMap, ObjectMap } from './object-map.ts';
import { Misfit, uuidOf, valueFromJourney } from './values.ts';

/** A file that an object of Journey has. */
interface AttachmentSeen {
  readonly column: string;
  readonly id: string;
  /** Where its bytes are; null until it is uploaded. */
  readonly url: string | null;
}

export interface ObjectSeen {
  /** All that is mapped, but for the columns in `attachments` and those that `problem` is about. */
  readonly fields: Fields;
  readonly attachments: readonly AttachmentSeen[];
  /** What of it Helium has no place for, by field; null when nothing. */
  readonly problem: string | null;
}

/** Returns a Journey object's values in Helium's columns. Never throws, whatever it contains. */
export function fieldsFromJourney(map: ObjectMap, object: JourneyObject): ObjectSeen {
  const fields: Record<string, Value> = {};
  const attachments: AttachmentSeen[] = [];
  const problems: string[] = uuidOf(object.id) === undefined ? [`The id ${object.id} is no UUID.`] : [];
  for (const field of map.fields) {
    const seen = field.kind === 'blob' ? attachmentIn(object, field) : valueIn(object, field, field.kind);
    if (seen instanceof Misfit) problems.push(`${map.model}.${field.field} ${seen.reason}.`);
    else if (typeof seen === 'object' && seen !== null) attachments.push(seen);
    else fields[field.column] = seen;
  }
  return { fields, attachments, problem: problems.length > 0 ? problems.join(' ') : null };
}

function valueIn(object: JourneyObject, { field }: FieldMap, kind: Exclude<FieldMap['kind'], 'blob'>): Value | Misfit {
  return valueFromJourney(kind, object[kind === 'reference' ? `${field}_id` : field]);
}

/** `x_id` names the file, `x` whether and where it is available; the URL may come after the id. */
function attachmentIn(object: JourneyObject, { column, field }: FieldMap): AttachmentSeen | Misfit | null {
  const id = object[`${field}_id`] ?? null;
  const file = object[field] ?? null;
  if (id === null && file === null) return null;
  if (typeof id !== 'string') return new Misfit('is a file without an id');
  const { data } = JourneyAttachment.safeParse(file);
  return { column, id, url: data?.state === 'uploaded' ? data.original : null };
}
