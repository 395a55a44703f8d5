import type { RecoveryAnswer, RestoredQuestion } from '@portal/contract/sync-recovery';
import { closeQuestion } from '../../sync-state/questions.store.ts';
import { type SyncContext, withLockedState } from '../shared/sync-context.ts';

export async function applyRestoreAnswer(
  context: SyncContext,
  _question: RestoredQuestion,
  _answer: RecoveryAnswer,
): Promise<void> {
  await withLockedState(context, (db) => closeQuestion(db, context.stateId, context.fence));
}
