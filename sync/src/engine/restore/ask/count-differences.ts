import type { ObjectDifference } from '@portal/contract/sync/recovery';
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../../mapping/object-map.ts';
import { type Fields, getValue } from '../../../record/fields.ts';
import { adoptFile } from '../../../record/file-value.ts';
import { countDeleted } from '../../../sync-state/recovery.store.ts';
import { findCommonPage } from '../../missing/common-page.ts';
import { pageSize, type SyncContext } from '../../state/context.ts';

/**
 * Counts how one page of an object's records differs between both sides, by their content and not
 * by what is known of them. Changes nothing.
 *
 * @returns the counts, and the id to continue behind; null after the last page
 */
export async function countDifferences(
  { helium, journey, stateId, signal }: SyncContext,
  map: ObjectMap,
  afterId: string | null,
): Promise<{ readonly counted: ObjectDifference; readonly lastId: string | null }> {
  const { table, toHelium, toJourney } = map;
  const listed = await journey.listAfter(map, afterId, pageSize, signal);
  const read = await helium.readRowsAfter(helium.pool, map, afterId, pageSize);
  const objects = new Map(listed.map((entry) => [entry.key.id, entry]));
  const rows = new Map(read.map((row) => [row.id, row.fields]));
  const { includes, lastId } = findCommonPage([...objects.keys()], [...rows.keys()], pageSize);
  const onlyInHelium = [...rows.keys()].filter((id) => includes(id) && !objects.has(id));
  const onlyInJourney = [...objects.keys()].filter((id) => includes(id) && !rows.has(id));
  const differing = [...rows].filter(([id, fields]) => {
    const object = objects.get(id);
    return object !== undefined && includes(id) && differs(map, fields, object);
  });
  const counted = {
    table,
    toHelium,
    toJourney,
    onlyInHelium: onlyInHelium.length,
    onlyInJourney: onlyInJourney.length,
    differ: differing.length,
    comingBack: await countDeleted(helium.pool, stateId, table, [...onlyInHelium, ...onlyInJourney]),
  };
  return { counted, lastId };
}

/** Files whose content is not known yet are not compared: they would have to be downloaded. */
function differs({ fields }: ObjectMap, row: Fields, { fields: object, attachments = {} }: JourneyEntry): boolean {
  const isUnknown = (column: string) => Object.hasOwn(attachments, column) && !Object.hasOwn(object ?? {}, column);
  return fields.some(({ column, kind }) => {
    const [ours, theirs] = [getValue(row, column), getValue(object, column)];
    if (ours === theirs || isUnknown(column)) return false;
    return kind !== 'blob' || (adoptFile(ours, theirs) === ours && adoptFile(theirs, ours) === theirs);
  });
}
