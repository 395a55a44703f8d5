import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { pageSize } from '../state/context.ts';
import { previousId } from './previous-id.ts';

/**
 * Returns those of these objects that Journey lists now or finds by their ids, with at most two
 * calls per thousand objects.
 *
 * @param ids in order
 */
export async function listObjects(
  { context, run }: ActiveRun,
  map: ObjectMap,
  ids: readonly string[],
): Promise<JourneyEntry[]> {
  const wanted = new Set(ids);
  const found: JourneyEntry[] = [];
  let rest = ids;
  while (rest[0] !== undefined) {
    const behind = previousId(rest[0]);
    const listed = await run.withSlot(() => context.journey.listAfter(map, behind, pageSize, run.signal));
    found.push(...listed.filter(({ key }) => wanted.has(key.id)));
    const lastId = listed.length < pageSize ? undefined : listed.at(-1)?.key.id;
    rest = lastId === undefined ? [] : rest.filter((id) => id > lastId);
  }
  // A list may have objects that cannot be read. Looked up by id, they are found nevertheless.
  const listedIds = new Set(found.map(({ key }) => key.id));
  const unlisted = ids.filter((id) => !listedIds.has(id));
  if (unlisted.length === 0) return found;
  return [...found, ...(await run.withSlot(() => context.journey.listByIds(map, unlisted, run.signal)))];
}
