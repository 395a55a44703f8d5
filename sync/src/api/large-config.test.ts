import { testConnection } from '@portal/contract/sync/config';
import { maxSkippedNames } from '@portal/contract/sync/config-rules';
import { listIntegrations } from '@portal/contract/sync/integration';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { configFor, createSyncDatabase, grain, startTestService, type TestService, until } from '../service.fixture.ts';

let database: TestDatabase;
let test: TestService;

beforeAll(async () => {
  database = await createSyncDatabase();
  test = await startTestService(database.url);
  await test.merge(configFor());
  await until(() => test.engine.running(grain.id).length === 1);
});
afterEach(() => expect(test.engine.runs.map(({ isOver }) => isOver)).toEqual([false]));
afterAll(async () => {
  await test.stop();
  await database.drop();
});

function withNames(tables: readonly unknown[], models: readonly unknown[] = tables) {
  const { heliumToJourney, journeyToHelium, ...config } = configFor();
  return {
    ...config,
    heliumToJourney: { ...heliumToJourney, changeLogSkipTables: tables },
    journeyToHelium: { ...journeyToHelium, oplogSkipObjectTypes: models },
  };
}

/** Names of the maximum length, so that no two are equal. */
const longNames = (count: number, first: string) =>
  Array.from({ length: count }, (_, at) => `${first}${at}_`.padEnd(100, 'x'));

const tooMany = [
  { field: 'heliumToJourney.changeLogSkipTables', reason: 'must have at most 1000 names' },
  { field: 'journeyToHelium.oplogSkipObjectTypes', reason: 'must have at most 1000 names' },
];

/** Sends a configuration in the ways a caller can, with other calls at the same time. */
async function sendAll(config: unknown) {
  const source = { config, app: grain, dataSource: 'apps-1' };
  const [tested, merged, listed] = await Promise.all([
    test.call(testConnection, source),
    test.merge(config),
    test.call(listIntegrations, {}),
    expect(fetch(`${test.service.address}/health`)).resolves.toMatchObject({ status: 200 }),
  ]);
  expect(listed.body).toMatchObject([{ id: grain.id, status: 'Enabled' }]);
  for (const sent of [tested.body, merged]) expect(JSON.stringify(sent).length).toBeLessThan(16 * 1024);
  return { tested, merged };
}

describe('configuration with long lists of names', () => {
  it.each(['', '-n', 'a b', 7, null, 'x'.repeat(101)])(
    'is checked as a whole with as many names as are allowed, and reports the first of its problems: %j',
    async (name) => {
      const config = withNames(Array.from({ length: maxSkippedNames }, () => name));
      const { tested, merged } = await sendAll(config);
      expect(merged.failed).toBe(true);
      expect(merged.problems).toHaveLength(20);
      expect(merged.value).toMatch(/; and 1980 more$/);
      if (tested.status !== 200) return expect(tested).toMatchObject({ status: 400, body: { kind: 'invalid' } });
      expect(tested.body.problems).toHaveLength(21);
      expect(tested.body.problems.at(-1)).toEqual({ field: 'config', reason: 'and 1980 more' });
    },
  );

  it('is accepted with as many valid names as are allowed', async () => {
    const app = { id: 'other', name: 'Other', schemaName: 'other' };
    const { helium, ...config } = withNames(longNames(maxSkippedNames, 't'), longNames(maxSkippedNames, 'm'));
    const other = { ...config, helium: { ...helium, appId: app.id, dbSchema: app.schemaName }, enabled: false };
    const source = { config: other, app, dataSource: 'apps-1' };
    expect(await test.call(testConnection, source)).toMatchObject({ status: 200, body: { problems: [] } });
    expect(await test.merge(other, app)).toEqual({ value: 'Saved.' });
    expect(await test.destroy(app.id)).toMatchObject({ value: expect.any(String) });
  });

  it.each([
    [maxSkippedNames + 1, 'x'],
    [9_000, '-n'],
    [9_000, ''],
  ])('is refused with %i names %j in a list, without a look at them', async (count, name) => {
    const { tested, merged } = await sendAll(withNames(Array.from({ length: count }, () => name)));
    expect(merged).toMatchObject({ failed: true, problems: tooMany });
    expect(tested).toMatchObject({ status: 400, body: { fields: expect.anything() } });
    const fields = Object.keys(Object(tested.body).fields);
    expect(fields).toEqual(tooMany.map(({ field }) => `config.${field}`));
  });
});

describe('frame of a sync socket', () => {
  const merge = (config: string) => `{"type":"MERGE","appId":"${grain.id}","config":${config}}`;

  it.each([
    ['is not JSON', '{', 'The first frame is not valid JSON.'],
    ['is no message', '{"type":"SHUTDOWN"}', 'The first frame is not a known message.'],
    ['is empty', '', 'The first frame is not valid JSON.'],
    ['is nested too deeply', merge('['.repeat(120_000)), 'The first frame is nested more than 32 levels deep.'],
    [
      'has too many elements',
      merge(`[${'0,'.repeat(120_000)}0]`),
      'The first frame has more than 20000 keys and values.',
    ],
    ['has characters that cannot be stored', merge('"\\u0000"'), 'The first frame contains invalid characters.'],
  ])('is refused in words when it %s', async (_, frame, reason) => {
    expect(await test.socket(frame).closed).toEqual({ code: 4400, reason });
  });
});
