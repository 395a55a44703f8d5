/**
 * Objects are read in Journey's current data model, which may be younger than the mapping: a field
 * that was renamed or removed since is just not there, and would be taken for a cleared one.
 */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyObject } from '@portal/platforms/journey/wire';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';

/**
 * What was read cannot be understood until the mapping is made anew from the data model of this
 * hash.
 */
export class DataModelChanged extends JourneyProblem {
  readonly hash: string;

  constructor(hash: string) {
    super("Journey's data model has changed meanwhile.", { kind: 'unexpected-answer' });
    this.hash = hash;
  }
}

/** A hint only, for Journey may leave out what is null. */
export function hasMissingFields({ fields }: ObjectMap, object: JourneyObject): boolean {
  return fields.some((field) => isMissingField(object, field));
}

function isMissingField(object: JourneyObject, { field, kind }: FieldMap): boolean {
  if (kind === 'reference') return !(`${field}_id` in object);
  return !(field in object) && !(kind === 'blob' && `${field}_id` in object);
}

/** Whether the data model still has all that the mapping knows of this object. */
export function hasAllFields({ model, fields }: ObjectMap, { models }: JourneyCatalog): boolean {
  const found = models.find(({ name }) => name === model);
  const names = new Set(found?.fields.map(({ name }) => name));
  const relations = new Set(found?.belongsTo.map(({ name }) => name));
  return fields.every(({ field, kind }) => (kind === 'reference' ? relations : names).has(field));
}
