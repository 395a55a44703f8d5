import type { DeletionsQuestion, RecoveryAnswer } from '@portal/contract/sync-recovery';
import { closeQuestion } from '../../sync-state/questions.store.ts';
import { type SyncContext, withLockedState } from '../shared/sync-context.ts';

export async function applyDeletionsAnswer(
  context: SyncContext,
  _question: DeletionsQuestion,
  _answer: RecoveryAnswer,
): Promise<void> {
  await withLockedState(context, (db) => closeQuestion(db, context.stateId, context.fence));
}
