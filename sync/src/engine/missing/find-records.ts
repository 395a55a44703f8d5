import type { ConflictPolicy } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { mergeDeletion } from '../../record/unknown-record.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findObjectMap, type SyncContext } from '../state/context.ts';
import type { FoundRecord, RecordToLookUp } from '../state/look-ups.ts';

/** Reads what Journey has of these records, with one call per object. */
export async function findRecords(
  { run }: Pick<ActiveRun, 'run'>,
  context: SyncContext,
  records: readonly RecordToLookUp[],
  { policy, signal }: { readonly policy: ConflictPolicy; readonly signal: AbortSignal },
): Promise<(readonly [RecordKey, FoundRecord])[]> {
  const results: (readonly [RecordKey, FoundRecord])[] = [];
  for (const table of new Set(records.map(({ key }) => key.table))) {
    const map = findObjectMap(context, table);
    if (!map) continue;
    const ofTable = records.filter(({ key }) => key.table === table);
    const ids = ofTable.map(({ key }) => key.id);
    const listed = await run.withSlot(() => context.journey.listByIds(map, ids, signal));
    const entries = new Map(listed.map((entry) => [entry.key.id, entry]));
    for (const { key, deletedAtMs } of ofTable) {
      const entry = entries.get(key.id) ?? null;
      const deletion = entry === null || deletedAtMs === null ? null : mergeDeletion(deletedAtMs, entry, policy);
      results.push([key, { entry, deletion }]);
    }
  }
  return results;
}
