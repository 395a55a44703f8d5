import { getIntegration, getStatusHistory, setEnabled } from '@portal/contract/sync/integration';
import {
  answerRecovery,
  type ClearingsQuestion,
  type DeletionsQuestion,
  getRecovery,
  type RecoveryQuestion,
  type RestoredQuestion,
} from '@portal/contract/sync/recovery';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { Conflict } from '@portal/kit/problems';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bothReached } from '../scripted-engine.fixture.ts';
import { configFor, createSyncDatabase, grain, startTestService, type TestService, until } from '../service.fixture.ts';

const about = { id: 'q-1', askedAt: '2026-11-20T02:00:00.000Z', reason: 'Entry 4 is another one.' };
const restored: RestoredQuestion = {
  ...about,
  kind: 'restored',
  side: 'helium',
  asOf: null,
  objects: [
    { table: 'crop', toHelium: true, toJourney: true, onlyInHelium: 0, onlyInJourney: 2, differ: 1, comingBack: 0 },
  ],
};
const deletions: DeletionsQuestion = {
  ...about,
  kind: 'deletions',
  side: 'journey',
  table: 'crop',
  known: 30,
  absent: 30,
  isSyncedBack: true,
  clearedReferences: [],
  sample: [{ id: 'c-1', values: { name: 'Maize' } }],
};

const clearings: ClearingsQuestion = {
  ...about,
  kind: 'clearings',
  side: 'journey',
  table: 'crop',
  columns: [{ column: 'code', known: 30, absent: 30 }],
  records: 30,
  isSyncedBack: true,
  sample: [{ id: 'c-1', values: { code: 7 } }],
};

const nothingPairs = { field: 'helium.dbSchema', reason: 'Nothing can be synced.' };

let database: TestDatabase;
let test: TestService;
beforeAll(async () => {
  database = await createSyncDatabase();
  test = await startTestService(database.url);
  expect(await test.merge(configFor())).toEqual({ value: 'Saved and enabled.' });
});
afterAll(async () => {
  await test.stop();
  await database.drop();
});

/** The question is open until its answer is stored, as in the engine's state. */
let open: RecoveryQuestion | null;
let stored: unknown[];
beforeEach(async () => {
  stored = [];
  open = null;
  Object.assign(test.engine.operations, {
    readQuestion: async () => open,
    async answerQuestion(_: unknown, answer: { readonly questionId: string }) {
      if (open?.id !== answer.questionId) return false;
      stored.push(answer);
      open = null;
      return true;
    },
  });
  await until(() => test.engine.running(grain.id).length === 1);
  test.engine.running(grain.id)[0]?.run.publish({ needsDecision: true });
  test.engine.running(grain.id)[0]?.end({ outcome: 'halted', reason: about.reason, position: '' });
  await until(async () => (await readIntegration()).needsDecision);
});

const readIntegration = async () => (await test.call(getIntegration, undefined, { appId: grain.id })).body;
const readHistory = async () => (await test.call(getStatusHistory, undefined, { appId: grain.id })).body;
const readQuestion = async () => (await test.call(getRecovery, undefined, { appId: grain.id })).body.question;
const answerWith = (answer: string, rest: object = {}) =>
  test.call(answerRecovery, { appId: grain.id, questionId: 'q-1', answer, ...rest }, { user: 'sipho' });

async function expectUnchanged(question: RecoveryQuestion | null): Promise<void> {
  expect(stored).toEqual([]);
  expect(await readQuestion()).toEqual(question);
  expect(await readIntegration()).toMatchObject({ status: 'Halted', needsDecision: true });
  // The next test halts it again.
  open = null;
  expect(await enable()).toMatchObject({ status: 'Enabled' });
}

const enable = async () => (await test.call(setEnabled, { appIds: [grain.id], enabled: true })).body[0];

it('stores the answer to a restore under a later fence, and then enables the integration', async () => {
  open = restored;
  expect(await readQuestion()).toEqual(restored);
  const earlier = test.engine.runs.at(-1)?.run.fence ?? '';
  const { status, body } = await answerWith('keep-both');
  expect([status, body]).toMatchObject([200, { status: 'Enabled', haltReason: null, needsDecision: false }]);
  expect(stored).toEqual([{ questionId: 'q-1', answer: 'keep-both', fence: expect.any(String) }]);
  expect(await readQuestion()).toBeNull();
  await until(() => test.engine.running(grain.id).length === 1);
  const [{ fence }] = stored as [{ fence: string }];
  expect(BigInt(fence)).toBeGreaterThan(BigInt(earlier));
  expect(BigInt(test.engine.running(grain.id)[0]?.run.fence ?? 0)).toBeGreaterThan(BigInt(fence));
  expect((await readHistory())[0]).toMatchObject({ status: 'Enabled', by: 'sipho', reason: 'answered: keep-both' });
  expect(await readIntegration()).toMatchObject({ changedBy: 'sipho' });
  const logged = 'sipho answered: keep-both. The question was: Entry 4 is another one.';
  await until(async () => {
    const { rowCount } = await test.parts.pool.query('select from sync.log where value = $1', [logged]);
    return rowCount === 1;
  });
});

it('requires the confirmation for an answer that deletes records, and only for that', async () => {
  open = restored;
  for (const confirmation of [undefined, '', 'delete', 'DELETE '])
    expect(await answerWith('helium', { confirmation }), String(confirmation)).toMatchObject({
      status: 400,
      body: { fields: { confirmation: 'must be DELETE, because this answer deletes records' } },
    });
  await expectUnchanged(restored);
});

it('does not enable an integration that cannot run by an answer, in the words of Enable, and keeps the question', async () => {
  open = restored;
  test.engine.connectionTest = { ...bothReached, problems: [nothingPairs] };
  const message = `It cannot run: ${nothingPairs.field}: ${nothingPairs.reason}`;
  expect(await answerWith('keep-both')).toMatchObject({ status: 409, body: { kind: 'conflict', message } });
  expect(stored).toEqual([]);
  expect(await readQuestion()).toEqual(restored);
  open = null;
  expect(await enable()).toMatchObject({ status: 'Halted', message });
  test.engine.connectionTest = bothReached;
  await expectUnchanged(null);
});

it('does not enable an integration whose question is open, and says where to answer it', async () => {
  open = restored;
  const message = 'It needs a decision first. Open the integration and choose an answer, which also enables it.';
  expect(await enable()).toEqual({ appId: grain.id, status: 'Halted', message });
  expect(test.engine.running(grain.id)).toEqual([]);
  await expectUnchanged(restored);
});

it('does not enable an integration whose question cannot be read, and says why', async () => {
  open = restored;
  const { readQuestion: read } = test.engine.operations;
  const problem = new Conflict('The data source helium-app-1 cannot be reached. Try again in a moment.');
  Object.assign(test.engine.operations, { readQuestion: () => Promise.reject(problem) });
  expect(await enable()).toEqual({ appId: grain.id, status: 'Halted', message: problem.message });
  Object.assign(test.engine.operations, { readQuestion: read });
  await expectUnchanged(restored);
});

it('accepts an answer that makes both sides equal without a confirmation if it deletes nothing', async () => {
  open = restored;
  expect(await answerWith('journey')).toMatchObject({ status: 200 });
  expect(stored).toMatchObject([{ answer: 'journey' }]);
});

it('deletes records only after the typed confirmation', async () => {
  open = deletions;
  expect(await answerWith('delete')).toMatchObject({ status: 400 });
  expect(await answerWith('delete', { confirmation: 'DELETE' })).toMatchObject({ status: 200 });
  expect(stored).toMatchObject([{ answer: 'delete' }]);
});

it('clears values only after the typed confirmation', async () => {
  open = clearings;
  expect(await answerWith('clear')).toMatchObject({
    status: 400,
    body: { fields: { confirmation: 'must be DELETE, because this answer clears values' } },
  });
  expect(await answerWith('clear', { confirmation: 'DELETE' })).toMatchObject({ status: 200 });
  expect(stored).toMatchObject([{ answer: 'clear' }]);
});

it.each([
  [clearings, 'delete', 'must be keep or clear'],
  [restored, 'keep', 'must be keep-both or helium or journey'],
  [deletions, 'keep-both', 'must be keep or delete'],
  [
    { ...restored, objects: restored.objects.map((object) => ({ ...object, toHelium: false })) },
    'journey',
    'must be keep-both or helium',
  ],
])('refuses an answer that the question does not allow: %#', async (question, answer, reason) => {
  open = question;
  expect(await answerWith(answer, { confirmation: 'DELETE' })).toMatchObject({
    status: 400,
    body: { fields: { answer: reason } },
  });
  await expectUnchanged(question);
});

it('refuses an answer to a question that is not open any more, in words', async () => {
  open = { ...restored, id: 'q-2' };
  expect(await answerWith('keep-both')).toMatchObject({
    status: 409,
    body: { kind: 'conflict', title: 'Already decided', message: expect.stringContaining('no longer open') },
  });
  await expectUnchanged(open);
});

it('refuses the second of two answers at the same time', async () => {
  open = restored;
  const responses = await Promise.all([answerWith('keep-both'), answerWith('journey')]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(stored).toHaveLength(1);
  await until(async () => (await readIntegration()).status === 'Enabled');
});
