import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import {
  answerRecovery as endpoint,
  getRecovery,
  predictEffect,
  type RecoveryQuestion,
} from '@portal/contract/sync/recovery';
import type { Noted } from '../../access/enforcer.ts';
import type { Caller } from '../../session/caller.ts';
import { maskPassword } from '../../sync-service/caller-integrations.ts';
import { connectionTestTimeoutMs } from '../../sync-service/connection-test-timeout.ts';
import type { SyncService } from '../../sync-service/sync-service.ts';

/**
 * Answers the question that halts an integration, and notes the question, the answer and its
 * predicted effect on both sides.
 */
export async function answerRecovery(
  syncService: SyncService,
  { caller, noted }: { readonly caller: Caller; readonly noted: Noted },
  input: RequestOf<typeof endpoint>,
): Promise<ResponseOf<typeof endpoint>> {
  const { appId, questionId, answer } = input;
  noted.description = `Question that halted the integration answered: ${answer}`;
  const { question } = await syncService.call(caller, getRecovery, { params: { appId } });
  const asked = question?.id === questionId ? question : undefined;
  noted.before = asked ? { question: toAuditedQuestion(asked) } : null;
  const options = { payload: input, timeoutMs: connectionTestTimeoutMs };
  const integration = maskPassword(await syncService.call(caller, endpoint, options));
  noted.after = { answer, ...(asked && { effect: predictEffect(asked, answer) }) };
  return integration;
}

/** Omits the values of records. */
function toAuditedQuestion(question: RecoveryQuestion) {
  const { kind, side, askedAt, reason } = question;
  const about = { kind, side, askedAt, reason };
  if (question.kind === 'restored') return { ...about, asOf: question.asOf };
  if (question.kind === 'clearings') return { ...about, table: question.table, columns: question.columns };
  const { table, known, absent } = question;
  return { ...about, table, known, absent };
}
