/** Applies objects of a full read, and clears values only once it is decided for their table. */
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { keyText } from '../../../record/record-key.ts';
import { decideClearings, readDecidedClearings, removeDecidedClearings } from '../../../sync-state/clearings.store.ts';
import type { Snapshot } from '../../../sync-state/runs.store.ts';
import { findCleared } from '../../missing/cleared-in-journey.ts';
import { collectClearings, settleClearings } from '../../missing/clearings.ts';
import { listObjects } from '../../missing/list-objects.ts';
import { verifyJourney } from '../../restore/notice/check-journey.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { findObjectMap, pageSize, withLockedState } from '../../state/context.ts';
import { applyEntries } from '../writer/apply-entries.ts';
import type { EntryPage } from '../writer/apply-page.ts';
import { listReplaced } from './list-replaced.ts';

/** Applies a page, except the objects that have lost values: these are only collected. */
export async function applyListed(
  active: ActiveRun,
  { table, entries, isFirstPage }: { table: string; entries: readonly JourneyEntry[]; isFirstPage: boolean },
  page: Omit<EntryPage, 'entries'>,
): Promise<void> {
  const { context } = active;
  const cleared = await findCleared(context, context.helium.pool, entries);
  const values = cleared.flatMap(({ key, conflict }) =>
    conflict.column === null ? [] : [{ id: key.id, column: conflict.column }],
  );
  await collectClearings(context, { side: 'journey', table }, { values, isFirstPage });
  const waiting = new Set(cleared.map(({ key }) => keyText(key)));
  const applied = entries.filter(({ key }) => !waiting.has(keyText(key)));
  await applyEntries(active, applied, { ...page, isListing: true });
}

/**
 * Decides about the values that Journey has lost, once their table was read to its end, and applies
 * their objects as they are now. Throws HaltError once an operator has to be asked.
 */
export async function settleLost(active: ActiveRun, table: string, absent: Snapshot['absent']): Promise<void> {
  const { context, progress, run } = active;
  const scope = { stateId: context.stateId, side: 'journey', table } as const;
  await settleClearings(context, scope, { ...(absent && { absent }), onFew: (db) => decideClearings(db, scope) });
  for (;;) {
    const map = findObjectMap(context, table);
    const ids = await readDecidedClearings(context.helium.pool, scope, pageSize);
    if (ids.length === 0) return;
    const entries = map ? await listObjects(active, map, ids) : [];
    await run.withSlot(() => verifyJourney({ context, progress }));
    const unkept = await withLockedState(context, async (db) =>
      listReplaced(context, db, await findCleared(context, db, entries)),
    );
    const applied = entries.filter(({ key }) => !unkept.has(key));
    await applyEntries(active, applied, { isListing: true });
    // Last: a run that is killed before continues from here.
    await withLockedState(context, (db) => removeDecidedClearings(db, scope, ids));
  }
}
