import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { answerRecovery as endpoint, getRecovery } from '@portal/contract/sync';
import { predictEffect, type RecoveryQuestion } from '@portal/contract/sync-recovery';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { maskPassword } from '../../sync-service/caller-integrations.ts';
import { runAudited } from './run-audited.ts';

/**
 * Answers the question that halts the integration of one of the caller's apps, and audits the
 * question, the answer and its predicted effect on both sides.
 */
export function answerRecovery(
  { permissions, audit, syncService }: Dependencies,
  caller: Caller,
  input: RequestOf<typeof endpoint>,
): Promise<ResponseOf<typeof endpoint>> {
  const { appId, questionId, answer } = input;
  let asked: RecoveryQuestion | undefined;
  return runAudited({ permissions, audit }, caller, appId, {
    permission: 'sync.change',
    action: 'sync.answer-recovery',
    description: `Question that halted the integration answered: ${answer}`,
    async before() {
      const { question } = await syncService.call(caller, getRecovery, { params: { appId } });
      if (question?.id !== questionId) return null;
      asked = question;
      return { question: toAuditedQuestion(question) };
    },
    run: async () => maskPassword(await syncService.call(caller, endpoint, { payload: input })),
    after: () => ({ answer, ...(asked && { effect: predictEffect(asked, answer) }) }),
  });
}

/** Omits the values of records. */
function toAuditedQuestion(question: RecoveryQuestion) {
  const { kind, side, askedAt, reason } = question;
  const about = { kind, side, askedAt, reason };
  if (question.kind === 'restored') return { ...about, asOf: question.asOf };
  const { table, known, absent } = question;
  return { ...about, table, known, absent };
}
