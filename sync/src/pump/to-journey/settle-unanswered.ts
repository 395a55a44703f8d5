import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { readHeld } from '../../sync-state/held-records.store.ts';
import { readUnanswered, supersedeUnanswered } from '../../sync-state/intents.store.ts';
import { listUnlogged } from '../shared/list-unlogged.ts';
import { readRowsByKey } from '../shared/rows-by-key.ts';
import { findObjectMap, type SyncContext, withLockedState } from '../shared/sync-context.ts';
import { verifyHelium } from '../shared/verify-helium.ts';

/**
 * Lists both values where Helium was restored to before an edit that earlier runs sent and Journey did
 * not answer. Before the op-log is read: what Journey has received would count as known.
 */
export function listTakenBack(context: SyncContext): Promise<void> {
  const { stateId } = context;
  return withLockedState(context, async (db, { changeLogCursor }) => {
    const takenBack = await listUnlogged(context, db, await readUnanswered(db, stateId), changeLogCursor);
    await markDirty(db, stateId, takenBack);
  });
}

/**
 * Settles what earlier runs sent and Journey did not answer. Their pages are read again, unless Helium
 * was restored: then nothing else names these records. As long as a write counts as under way,
 * comparisons leave its record out.
 *
 *   Helium has the record ─▶ marked, and sent again
 *   it does not ───────────▶ superseded: what the write leaves in Journey is found by its echo or a comparison
 */
export function settleUnanswered(context: SyncContext): Promise<void> {
  const { stateId } = context;
  return withLockedState(context, async (db) => {
    const all = (await readUnanswered(db, stateId)).filter(({ table }) => findObjectMap(context, table)?.toJourney);
    // Held records have times of their own.
    const held = (await readHeld(db, stateId, all))['helium-to-journey'];
    const keys = all.filter((key) => !held.has(key));
    if (keys.length === 0) return;
    const rows = await readRowsByKey(context, db, keys);
    // After the rows were read, so that none is taken for missing that a restore has removed.
    await verifyHelium(context, db);
    const isPresent = (key: (typeof keys)[number]) => rows.has(key);
    await markDirty(db, stateId, keys.filter(isPresent));
    await supersedeUnanswered(
      db,
      stateId,
      keys.filter((key) => !isPresent(key)),
    );
  });
}
