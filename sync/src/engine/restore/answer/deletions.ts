import type { DeletionsQuestion, RecoveryAnswer } from '@portal/contract/sync/recovery';
import { clearAbsences, removeExplainedAbsences } from '../../../sync-state/absences.store.ts';
import { closeQuestion } from '../../../sync-state/questions.store.ts';
import { applyDecision } from '../../missing/absences.ts';
import { findObjectMap, type SyncContext, withLockedState } from '../../state/context.ts';

/**
 * Has the absent records deleted, or brought back from the side that has them, and closes the
 * question in the same transaction. The loops then do so page by page, and continue after a kill.
 */
export async function applyDeletionsAnswer(
  context: SyncContext,
  question: DeletionsQuestion,
  answer: RecoveryAnswer,
): Promise<void> {
  const { table } = question;
  const side = question.side === 'helium' ? 'journey' : 'helium';
  const scope = { stateId: context.stateId, side, table } as const;
  const map = findObjectMap(context, table);
  await withLockedState(context, async (db, row) => {
    // What a direction that was switched off since cannot write is not deleted either.
    const canAct = side === 'journey' ? map?.toHelium : answer === 'keep' || map?.toJourney;
    if (map && canAct) {
      await removeExplainedAbsences(db, scope, context.helium.schema);
      await applyDecision(context, db, { side, map, row }, answer === 'delete' ? 'delete' : 'keep');
    } else {
      await clearAbsences(db, scope);
    }
    await closeQuestion(db, context.stateId, context.fence);
  });
}
