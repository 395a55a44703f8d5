import type { JourneyOpLogEntry } from '@portal/platforms/journey/wire';
import type { ObjectMap } from '../mapping/object-map.ts';
import { parseUuid } from '../mapping/values.ts';
import type { RecordKey } from '../record/record-key.ts';

/** Returns which of these records Journey is known to have. */
export type FindKnown = (keys: readonly RecordKey[]) => Promise<readonly RecordKey[]>;

/**
 * Adds the type to the objects that lack it, from an earlier entry of the same object or from what
 * is known: an id belongs to one object only. Other objects stay without a type.
 */
export async function addTypes(
  entries: readonly JourneyOpLogEntry[],
  maps: readonly ObjectMap[],
  findKnown: FindKnown,
): Promise<readonly JourneyOpLogEntry[]> {
  const ids = entries.flatMap(({ object }) => (object.type === '' ? (parseUuid(object.id) ?? []) : []));
  if (ids.length === 0) return entries;
  const keys = maps.flatMap(({ table }) => ids.map((id) => ({ table, id })));
  const models = new Map(maps.map(({ table, model }) => [table, model]));
  const types = new Map((await findKnown(keys)).map(({ table, id }) => [id, models.get(table) ?? '']));
  return entries.map((entry) => {
    const { object } = entry;
    const id = object.id.toLowerCase();
    if (object.type !== '') types.set(id, object.type);
    const type = object.type || (types.get(id) ?? '');
    return type === object.type ? entry : { ...entry, object: { ...object, type } };
  });
}
