import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { ActiveRun } from '../context/active-run.ts';
import { pageSize } from '../context/sync-context.ts';
import { previousId } from './previous-id.ts';

/**
 * Returns those of these objects that Journey lists now, with at most one call per thousand.
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
  return found;
}
