/**
 * Objects are read in Journey's current data model, which may be newer than the mapping. A field
 * that was renamed or removed since is missing, and would be mistaken for a cleared one.
 */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyObject } from '@portal/platforms/journey/wire';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';

/**
 * The objects cannot be interpreted until the mapping is rebuilt from the data model with this
 * hash.
 */
export class DataModelChanged extends JourneyProblem {
  readonly hash: string;

  constructor(hash: string) {
    super("Journey's data model has changed.", { kind: 'unexpected-response' });
    this.hash = hash;
  }
}

/**
 * Returns whether the object lacks mapped fields. This is only a hint, because Journey may omit
 * null values.
 */
export function hasMissingFields({ fields }: ObjectMap, object: JourneyObject): boolean {
  return fields.some((field) => isMissingField(object, field));
}

function isMissingField(object: JourneyObject, { field, kind }: FieldMap): boolean {
  if (kind === 'reference') return !Object.hasOwn(object, `${field}_id`);
  return !Object.hasOwn(object, field) && !(kind === 'blob' && Object.hasOwn(object, `${field}_id`));
}

/** Returns whether the data model still has everything that is mapped of this object. */
export function hasAllFields({ model, fields }: ObjectMap, { models }: JourneyCatalog): boolean {
  const found = models.find(({ name }) => name === model);
  const names = new Set(found?.fields.map(({ name }) => name));
  const relations = new Set(found?.belongsTo.map(({ name }) => name));
  return fields.every(({ field, kind }) => (kind === 'reference' ? relations : names).has(field));
}
