/**
 * Journey → Helium: deletes the rows of objects that Journey no longer has, or has them sent to
 * Journey again, as it was decided.
 */
import type { Db } from '../../../helium/helium-gateway.ts';
import { withLimitedWaits } from '../../../helium/limit-waits.ts';
import type { ObjectMap } from '../../../mapping/object-map.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import {
  type AbsenceDecision,
  readDecidedAbsences,
  removeAbsences,
  saveClearedReferences,
} from '../../../sync-state/absences.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import { readRecords, saveRecords } from '../../../sync-state/records.store.ts';
import { listObjects } from '../../missing/list-objects.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { findObjectMap, pageSize, type SyncContext, withLockedState } from '../../state/context.ts';
import { applyEntries } from '../writer/apply-entries.ts';
import { toDeletedEntry } from './to-deleted-entry.ts';

/** Settles one page. Returns whether there was anything to do. */
export async function settleDecided(active: ActiveRun): Promise<boolean> {
  const { context, progress } = active;
  if (!progress.hasDecisions) return false;
  progress.clearDecisions();
  const decided = await readDecidedAbsences(context.helium.pool, context.stateId, pageSize);
  const [first] = decided;
  if (!first) return false;
  progress.markDecisions();
  const keys = decided.map(({ key }) => key);
  const map = findObjectMap(context, first.key.table);
  const ids = keys.map(({ id }) => id);
  // Listed again, because the list may have been incomplete. Without a map, nothing is known.
  const listed = new Set(map ? (await listObjects(active, map, ids)).map(({ key }) => key.id) : ids);
  const absent = decided.filter(({ key }) => !listed.has(key.id));
  const select = (wanted: AbsenceDecision) =>
    absent.filter(({ decision }) => decision === wanted).map(({ key }) => key);
  const deleted = select('delete');
  if (map && deleted.length > 0) {
    await withLockedState(context, (db) =>
      withLimitedWaits(db, () => acceptClearedReferences(context, db, map, deleted)),
    );
    await applyEntries(active, deleted.map(toDeletedEntry), { isListing: true });
  }
  const kept = select('keep');
  await withLockedState(context, async (db) => {
    const records = await readRecords(db, context.stateId, kept);
    // Known without values, so that they are patched, and put only if Journey says that it has no
    // such object: a list that lacks them may be wrong, and a put would clear what only Journey
    // has. The op-log need not explain it then: what it does not show was decided about.
    const journey = Object.fromEntries((map?.fields ?? []).map(({ column }) => [column, null]));
    const changes = kept.map((key) => ({
      ...records.get(key),
      key,
      journey,
      deletedAtMs: null,
      missing: 'again' as const,
    }));
    await saveRecords(db, context.stateId, changes);
    await markDirty(db, context.stateId, kept);
    await removeAbsences(db, context.stateId, 'journey', keys);
  });
  active.toJourney.wake();
  return true;
}

/** The rows they refer to may have been deleted with an earlier page. */
async function acceptClearedReferences(
  { helium, stateId }: SyncContext,
  db: Db,
  { table, fields }: ObjectMap,
  keys: readonly RecordKey[],
): Promise<void> {
  const references = fields.flatMap(({ column, kind, references: parent }) =>
    kind === 'reference' && parent ? [{ column, parent }] : [],
  );
  const ids = keys.map(({ id }) => id);
  await saveClearedReferences(db, { stateId, table, ids }, helium.schema, references);
}
