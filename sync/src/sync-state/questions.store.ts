/** Stores what an operator has to decide before an integration runs again, and the decision. */
import { randomUUID } from 'node:crypto';
import { type RecoveryAnswer, type RecoveryQuestion, recoveryQuestionSchema } from '@portal/contract/sync/recovery';
import type { Db } from '../helium/helium-gateway.ts';
import { LeaseLostError } from '../integration/lease-lost-error.ts';

/** A question as its finder writes it. */
export type NewQuestion = RecoveryQuestion extends infer One
  ? One extends RecoveryQuestion
    ? Omit<One, 'id' | 'askedAt'>
    : never
  : never;

/**
 * Asks, in place of an earlier question. Throws LeaseLostError when another process runs the
 * integration.
 */
export async function saveQuestion(
  db: Db,
  { stateId, fence }: { readonly stateId: number; readonly fence: string },
  question: NewQuestion,
): Promise<void> {
  const asked = { ...question, id: randomUUID(), askedAt: new Date().toISOString() };
  const { rowCount } = await db.query(
    'update __portal_sync__.run set question = $3, answer = null where state_id = $1 and fence = $2',
    [stateId, fence, JSON.stringify(asked)],
  );
  if (rowCount === 0) throw new LeaseLostError('Another process runs this integration now.');
}

/** As the row of a run has it. */
export interface StoredQuestion {
  readonly question: unknown;
  readonly answer: RecoveryAnswer | null;
}

interface Asked {
  readonly question: RecoveryQuestion;
  readonly answer: RecoveryAnswer | null;
}

/** Returns the question and its answer; null when nothing is to be decided. */
export function parseQuestion({ question, answer }: StoredQuestion): Asked | null {
  return question ? { question: recoveryQuestionSchema.parse(question), answer } : null;
}

/** Reads them, as `parseQuestion` returns them. */
export async function readQuestion(db: Db, stateId: number): Promise<Asked | null> {
  const { rows } = await db.query<StoredQuestion>(
    'select question, answer from __portal_sync__.run where state_id = $1',
    [stateId],
  );
  return rows[0] ? parseQuestion(rows[0]) : null;
}

/**
 * Stores the answer for the next run, which has to have a newer fence. Returns false, and stores
 * nothing, when this question is no longer open: only its first answer counts.
 */
export async function saveAnswer(
  db: Db,
  stateId: number,
  {
    questionId,
    answer,
    fence,
  }: { readonly questionId: string; readonly answer: RecoveryAnswer; readonly fence: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update __portal_sync__.run set answer = $3, fence = $4
     where state_id = $1 and question->>'id' = $2 and answer is null and fence <= $4`,
    [stateId, questionId, answer, fence],
  );
  return (rowCount ?? 0) > 0;
}

/** Removes the question once its answer has taken effect. Throws LeaseLostError, as above. */
export async function closeQuestion(db: Db, stateId: number, fence: string): Promise<void> {
  const { rowCount } = await db.query(
    'update __portal_sync__.run set question = null, answer = null where state_id = $1 and fence = $2',
    [stateId, fence],
  );
  if (rowCount === 0) throw new LeaseLostError('Another process runs this integration now.');
}
