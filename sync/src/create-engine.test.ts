import { createPool, inTransaction } from '@portal/kit/postgres/pool';
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { Secret } from '@portal/kit/secret';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from './create-engine.ts';
import { createIntegration, environment } from './engine/testing/sync-integration.fixture.ts';
import type { Figures } from './integration/figures.ts';
import type { StoredIntegration } from './integration/integration.ts';
import type { RunHost } from './integration/run-host.ts';
import { getStateKey } from './integration/state-key.ts';
import { testConfig } from './service-config.fixture.ts';
import { readQuestion, saveQuestion } from './sync-state/questions.store.ts';
import { claimRun } from './sync-state/runs.store.ts';
import { prepareState } from './sync-state/schema.ts';

const createHost = (integration: StoredIntegration, published: Partial<Figures>[] = []): RunHost => ({
  integration,
  fence: '2',
  journeyPassword: new Secret('secret'),
  signal: new AbortController().signal,
  assertLease: () => undefined,
  log: () => undefined,
  publish: (figures) => published.push(figures),
  reportBug: () => undefined,
  withSlot: (work) => work(),
  onWake: () => undefined,
  onWebhook: () => undefined,
  onTryNow: () => undefined,
});

test.each(['https://run-us.elsewhere.example.com/api/v4/one', 'https://run-us.example.com/api/v5/one'])(
  'halts an integration whose Journey address is no longer configured, without calling it: %s',
  async (url) => {
    const engine = createEngine({ config: testConfig('postgres://127.0.0.1:1/never-asked') });
    const integration = createIntegration({ id: 'one', url, userName: 'one' }, 'app');
    const end = await engine.startRun(createHost(integration));
    const reason = `${url} is not below a Journey address configured for ${environment}.`;
    expect(end).toEqual({ outcome: 'halted', reason, position: '' });
    await engine.stop();
  },
);

async function openWithDatabase() {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { max: 1, applicationName: 'portal sync test' });
  const engine = createEngine({ config: testConfig(database.url) });
  onTestFinished(async () => {
    await engine.stop();
    await pool.end();
    await database.drop();
  });
  const url = 'https://run-us.example.com/api/v4/one';
  const created = createIntegration({ id: 'one', url, userName: 'one' }, 'app');
  const config = { ...created.config, enableHeliumToJourney: false };
  return { pool, engine, integration: { ...created, dataSource: 'apps-1', config } };
}

test('reports a data source as busy while another session has locked what an action of an operator needs', async () => {
  const { pool, engine, integration } = await openWithDatabase();
  await prepareState(pool);
  await claimRun(pool, getStateKey(integration), '1', { changeLog: '0', opLog: '0' });
  await inTransaction(pool, async (db) => {
    await db.query('select from __portal_sync__.run for update');
    const message = 'The data source apps-1 is busy. Try again in a few seconds.';
    await expect(engine.operations.requestComparison(integration)).rejects.toMatchObject({ status: 429, message });
  });
  await engine.operations.requestComparison(integration);
});

test('halts with an open question before any call, reports that a decision is needed, and stores one answer', async () => {
  const { pool, engine, integration } = await openWithDatabase();
  expect(await engine.operations.readQuestion(integration)).toBeNull();
  await prepareState(pool);
  const { stateId } = await claimRun(pool, getStateKey(integration), '1', { changeLog: '0', opLog: '0' });
  const reason = 'Helium was restored.';
  await saveQuestion(
    pool,
    { stateId, fence: '1' },
    { kind: 'restored', side: 'helium', asOf: null, reason, objects: [] },
  );

  const published: Partial<Figures>[] = [];
  expect(await engine.startRun(createHost(integration, published))).toMatchObject({ outcome: 'halted', reason });
  const decisions = published.flatMap(({ needsDecision }) => needsDecision ?? []);
  expect(decisions).toEqual([false, true]);
  const question = await engine.operations.readQuestion(integration);
  expect(question).toMatchObject({ kind: 'restored', reason });

  const answer = { questionId: question?.id ?? '', answer: 'keep-both', fence: '3' } as const;
  expect(await engine.operations.answerQuestion(integration, answer)).toBe(true);
  expect(await engine.operations.readQuestion(integration)).toBeNull();
  expect(await engine.operations.answerQuestion(integration, { ...answer, answer: 'helium', fence: '4' })).toBe(false);
  expect(await readQuestion(pool, stateId)).toMatchObject({ answer: 'keep-both' });
});
