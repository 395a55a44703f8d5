/** Answers the question that halts an integration, and enables it. */
import type { RequestOf } from '@portal/contract/endpoint';
import {
  deleteConfirmation,
  type answerRecovery as endpoint,
  getAnswers,
  needsConfirmation,
  type RecoveryQuestion,
} from '@portal/contract/sync/recovery';
import { Conflict, NotFound } from '@portal/kit/problems';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { readIntegration } from '../portal-store/integrations.store.ts';
import { setDesiredStatus } from '../portal-store/status.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import type { Caller } from './caller.ts';
import { requireIntegration } from './delete-integration.ts';
import { InvalidFields } from './invalid-fields.ts';
import { requireRunnable } from './require-runnable.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };
type Request = RequestOf<typeof endpoint>;

/**
 * Stores the answer for the next run and enables the integration. Throws Conflict when the question
 * is not open any more or the integration cannot run, and InvalidFields when the answer does not
 * fit the question or is not confirmed.
 */
export async function answerRecovery(parts: Parts, caller: Caller, request: Request): Promise<StoredIntegration> {
  const { pool, leases, logWriter, operations } = parts;
  const { appId, questionId, answer } = request;
  const integration = await requireIntegration(parts, caller, appId);
  const { id } = integration;
  const question = await operations.readQuestion(integration);
  if (question?.id !== questionId) throw toOutdated();
  checkAnswer(question, request);
  await requireRunnable(parts, caller, integration, { isAnswering: true });
  const answered = await leases.withExclusiveLease(id, async (fence) => {
    if (!(await operations.answerQuestion(integration, { questionId, answer, fence }))) throw toOutdated();
    logWriter.write(id, 'WARNING', `${caller.user} answered: ${answer}. The question was: ${question.reason}`);
    await setDesiredStatus(pool, { id, event: 'enable', by: caller.user, reason: `answered: ${answer}` });
    return readIntegration(pool, id);
  });
  if (!answered) throw new NotFound(`The integration for ${appId} no longer exists.`);
  return answered;
}

function checkAnswer(question: RecoveryQuestion, { answer, confirmation }: Request): void {
  const answers = getAnswers(question);
  if (!answers.includes(answer))
    throw new InvalidFields([{ field: 'answer', reason: `must be ${answers.join(' or ')}` }]);
  if (needsConfirmation(question, answer) && confirmation !== deleteConfirmation)
    throw new InvalidFields([
      {
        field: 'confirmation',
        reason: `must be ${deleteConfirmation}, because this answer ${answer === 'clear' ? 'clears values' : 'deletes records'}`,
      },
    ]);
}

function toOutdated(): Conflict {
  return new Conflict(
    'This question is no longer open: another user answered it, or a newer question replaced it. Nothing was changed.',
    { title: 'Already decided' },
  );
}
