/** Acts on an operator's answer to the question that halted the integration. */
import type { RecoveryAnswer, RecoveryQuestion } from '@portal/contract/sync/recovery';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { SyncContext } from '../state/context.ts';
import { applyClearingsAnswer } from './answer/clearings.ts';
import { applyDeletionsAnswer } from './answer/deletions.ts';
import { applyRestoreAnswer } from './answer/restore.ts';

/**
 * Plans what the answer requires and closes the question, in one transaction. A run that is killed
 * before it commits starts again from the question.
 */
export async function applyAnswer(
  context: SyncContext,
  { question, answer }: { readonly question: RecoveryQuestion; readonly answer: RecoveryAnswer },
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<void> {
  if (question.kind === 'restored') await applyRestoreAnswer(context, { question, answer }, onHeld);
  else if (question.kind === 'clearings') await applyClearingsAnswer(context, question, answer);
  else await applyDeletionsAnswer(context, question, answer);
}
