import type { JourneyOpLogEntry } from '@portal/platforms/journey/wire';
import type { ObjectMap } from '../mapping/object-map.ts';
import { parseUuid } from '../mapping/values.ts';
import type { RecordKey } from '../record/record-key.ts';

/** Returns which of these records Journey is known to have. */
export type FindKnown = (keys: readonly RecordKey[]) => Promise<readonly RecordKey[]>;

/** Returns the ids of those of these objects that Journey lists for the model. */
export type FindListed = (model: string, ids: readonly string[]) => Promise<readonly string[]>;

/**
 * Adds the type to the objects that lack it, from another entry of the same object, from what is
 * known, or from Journey's lists: an id belongs to one object only. Others stay without a type,
 * such as deleted objects that were never known.
 */
export async function addTypes(
  entries: readonly JourneyOpLogEntry[],
  maps: readonly ObjectMap[],
  { findKnown, findListed }: { readonly findKnown: FindKnown; readonly findListed: FindListed },
): Promise<readonly JourneyOpLogEntry[]> {
  const untyped = entries.filter(({ object }) => object.type === '' && parseUuid(object.id) !== undefined);
  if (untyped.length === 0) return entries;
  const ids = untyped.map(({ object }) => object.id.toLowerCase());
  const keys = maps.flatMap(({ table }) => ids.map((id) => ({ table, id })));
  const models = new Map(maps.map(({ table, model }) => [table, model]));
  const types = new Map((await findKnown(keys)).map(({ table, id }) => [id, models.get(table) ?? '']));
  for (const { object } of entries) if (object.type !== '') types.set(object.id.toLowerCase(), object.type);
  const written = untyped
    .filter(({ operation }) => operation !== 'delete')
    .map(({ object }) => object.id.toLowerCase());
  for (const { model } of maps) {
    const unknown = [...new Set(written)].filter((id) => !types.has(id));
    if (unknown.length === 0) break;
    for (const id of await findListed(model, unknown)) types.set(id.toLowerCase(), model);
  }
  return entries.map((entry) => {
    const { object } = entry;
    const type = object.type || (types.get(object.id.toLowerCase()) ?? '');
    return type === object.type ? entry : { ...entry, object: { ...object, type } };
  });
}
