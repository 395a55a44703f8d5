import { expect, it } from 'vitest';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import { closeQuestion, type NewQuestion, readQuestion, saveAnswer, saveQuestion } from './questions.store.ts';
import { claimRun } from './runs.store.ts';
import { beginning, createStateDatabase, pool } from './state-database.fixture.ts';

createStateDatabase();

const question: NewQuestion = {
  kind: 'deletions',
  reason: 'Journey no longer lists them.',
  side: 'helium',
  table: 'farmer',
  known: 30,
  absent: 30,
  isSyncedBack: true,
  clearedReferences: [{ table: 'voucher', column: 'farmer_fk', records: 4 }],
  sample: [{ id: 'f-1', values: { name: 'Thandi', tags: ['a', null], at: null } }],
};

it('stores a question and only its first answer, until the run that acts on it closes it', async () => {
  const { stateId } = await claimRun(pool, 'answered', '1', beginning);
  expect(await readQuestion(pool, stateId)).toBeNull();
  await saveQuestion(pool, { stateId, fence: '1' }, question);
  const asked = await readQuestion(pool, stateId);
  expect(asked).toEqual({
    question: { ...question, id: expect.any(String), askedAt: expect.any(String) },
    answer: null,
  });
  const questionId = asked?.question.id ?? '';

  expect(await saveAnswer(pool, stateId, { questionId: 'another', answer: 'delete', fence: '2' })).toBe(false);
  expect(await saveAnswer(pool, stateId, { questionId, answer: 'keep', fence: '2' })).toBe(true);
  expect(await saveAnswer(pool, stateId, { questionId, answer: 'delete', fence: '3' })).toBe(false);
  expect(await readQuestion(pool, stateId)).toMatchObject({ answer: 'keep' });

  await expect(closeQuestion(pool, stateId, '1')).rejects.toBeInstanceOf(LeaseLostError);
  await claimRun(pool, 'answered', '4', beginning);
  await closeQuestion(pool, stateId, '4');
  expect(await readQuestion(pool, stateId)).toBeNull();
  expect(await saveAnswer(pool, stateId, { questionId, answer: 'delete', fence: '5' })).toBe(false);
});

it('replaces an answered question with a newer one that is open, and keeps an older run from asking', async () => {
  const { stateId } = await claimRun(pool, 'asked again', '1', beginning);
  await saveQuestion(pool, { stateId, fence: '1' }, question);
  const first = (await readQuestion(pool, stateId))?.question.id ?? '';
  await saveAnswer(pool, stateId, { questionId: first, answer: 'keep', fence: '2' });
  await expect(saveQuestion(pool, { stateId, fence: '1' }, question)).rejects.toBeInstanceOf(LeaseLostError);
  await saveQuestion(pool, { stateId, fence: '2' }, question);
  const asked = await readQuestion(pool, stateId);
  expect(asked?.answer).toBeNull();
  expect(asked?.question.id).not.toBe(first);
  expect(await saveAnswer(pool, stateId, { questionId: first, answer: 'delete', fence: '3' })).toBe(false);
});
