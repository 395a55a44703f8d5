import type { ClearingsQuestion, RecoveryAnswer } from '@portal/contract/sync/recovery';
import { decideClearings, forgetClearings, takeClearings } from '../../../sync-state/clearings.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import { closeQuestion } from '../../../sync-state/questions.store.ts';
import { saveRun } from '../../../sync-state/runs.store.ts';
import { withTable } from '../../missing/absences.ts';
import { findObjectMap, type SyncContext, withLockedState } from '../../state/context.ts';

/**
 * Has the values cleared, or brought back from the side that has them, and closes the question in
 * the same transaction. Both sides of the records are then read again.
 */
export async function applyClearingsAnswer(
  context: SyncContext,
  { table, side: other }: ClearingsQuestion,
  answer: RecoveryAnswer,
): Promise<void> {
  const { stateId, fence } = context;
  const side = other === 'helium' ? 'journey' : 'helium';
  const scope = { stateId, side, table } as const;
  const map = findObjectMap(context, table);
  await withLockedState(context, async (db, row) => {
    if (answer === 'keep') await forgetClearings(db, scope);
    // The full read below clears them.
    else if (side === 'journey' && map?.toHelium) await decideClearings(db, scope);
    const ids = await takeClearings(db, scope);
    if (map?.toJourney)
      await markDirty(
        db,
        stateId,
        ids.map((id) => ({ table, id })),
      );
    if (map?.toHelium) await saveRun(db, stateId, { toHelium: withTable(row.toHelium, table) });
    await closeQuestion(db, stateId, fence);
  });
}
