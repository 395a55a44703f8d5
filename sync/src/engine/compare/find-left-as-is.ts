/**
 * Where only one direction is on, finds records that differ only on the side that is written: edits
 * and deletions there stay there. They are listed for operators and left as they are.
 */
import type { ObjectMap } from '../../mapping/object-map.ts';
import { areFieldsEqual } from '../../record/fields.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { FoundDifference } from '../../sync-state/differences.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findDifferences } from './find-differences.ts';

export interface LeftRecord extends FoundDifference {
  /** When it was written to Journey, by Journey's clock; null when that is not known. */
  readonly writtenAtMs: number | null;
  /** When Journey's object was changed; null when there is none. */
  readonly changedAtMs: number | null;
}

/** Compares these records again, because they may have been written since they were read. */
export async function findLeftAsIs(
  active: ActiveRun,
  map: ObjectMap,
  keys: readonly RecordKey[],
): Promise<LeftRecord[]> {
  const { context, run } = active;
  const { helium, journey, stateId } = context;
  if (keys.length === 0) return [];
  const [source, side] = map.toJourney ? (['helium', 'journey'] as const) : (['journey', 'helium'] as const);
  const before = await readRecords(helium.pool, stateId, keys);
  const ids = keys.map(({ id }) => id);
  const listed = await run.withSlot(() => journey.listByIds(map, ids, run.signal));
  const { differences } = await findDifferences(active, map, keys, listed);
  const after = await readRecords(helium.pool, stateId, keys);
  const changedAtMs = new Map(listed.map((entry) => [entry.key.id, entry.changedAtMs]));
  return differences.flatMap(({ key, isSourceDifferent, isIn }): LeftRecord[] => {
    const [known, knownBefore] = [after.get(key), before.get(key)];
    const isWritten =
      known.listedAtMs !== knownBefore.listedAtMs || !areFieldsEqual(known.journey, knownBefore.journey);
    // A record of the written side that was never synced is no one's business here.
    if (isSourceDifferent || isWritten || !isIn[source]) return [];
    const times = { writtenAtMs: known.listedAtMs, changedAtMs: changedAtMs.get(key.id) ?? null };
    const kind = known.journey === null ? 'unsynced' : isIn[side] ? 'changed' : 'missing';
    return [{ id: key.id, side, kind, ...times }];
  });
}
