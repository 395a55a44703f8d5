import { getIntegration, moveCursor, setEnabled } from '@portal/contract/sync/integration';
import { beforeEach, expect, it } from 'vitest';
import { bothReached } from '../scripted-engine.fixture.ts';
import { configFor, startServiceForFile, type TestApp, until } from '../service.fixture.ts';

const test = await startServiceForFile();
const nothingPairs = {
  field: 'helium.dbSchema',
  reason: 'Nothing can be synced: no tracked object in Helium has the same name as an object in Journey.',
};
let count = 0;

const createApp = async (): Promise<TestApp> => {
  count += 1;
  const app = { id: `row-${count}`, name: `Row ${count}`, schemaName: `row_${count}` };
  expect(await test.merge({ ...configFor(app), enabled: false }, app)).toEqual({ value: 'Saved.' });
  return app;
};
const enable = async (...apps: readonly TestApp[]) =>
  (await test.call(setEnabled, { appIds: apps.map(({ id }) => id), enabled: true })).body;
const show = async ({ id }: TestApp) => (await test.call(getIntegration, undefined, { appId: id })).body.status;

beforeEach(() => {
  test.engine.connectionTest = bothReached;
  test.engine.targets.length = 0;
});

it('refuses to enable an integration that cannot run, with the problems that the form shows', async () => {
  const app = await createApp();
  test.engine.connectionTest = {
    ...bothReached,
    journey: { reached: false, message: 'Journey refuses these credentials.' },
    problems: [nothingPairs],
  };
  const problems = [{ field: 'journey.baseUrl', reason: 'Journey refuses these credentials.' }, nothingPairs];
  expect(await enable(app)).toEqual([
    { appId: app.id, status: 'Disabled', message: expect.stringContaining(nothingPairs.reason), problems },
  ]);
  expect(await test.merge(configFor(app), app)).toMatchObject({ failed: true, problems });
  expect(await show(app)).toBe('Disabled');
  expect(test.engine.running(app.id)).toEqual([]);
  const [target] = test.engine.targets;
  expect(target).toMatchObject({ appId: app.id, dataSource: 'apps-1', isNew: false });
  expect(target?.journeyPassword.reveal()).toBe('sesame');

  test.engine.connectionTest = bothReached;
  expect(await enable(app)).toEqual([{ appId: app.id, status: 'Enabled', message: 'Enabled.' }]);
  await until(() => test.engine.running(app.id).length === 1);
});

it('leaves a halted integration halted when it cannot run, and enables the others of the same call', async () => {
  const [halted, other] = [await createApp(), await createApp()];
  await enable(halted);
  await until(() => test.engine.running(halted.id).length === 1);
  test.engine.running(halted.id)[0]?.end({ outcome: 'halted', reason: 'no table is left', position: '' });
  await until(async () => (await show(halted)) === 'Halted');
  test.engine.onConnectionTest = ({ appId }) =>
    appId === halted.id ? { ...bothReached, problems: [nothingPairs] } : bothReached;
  const results = await enable(halted, other);
  test.engine.onConnectionTest = null;
  expect(results.map(({ status, problems }) => [status, problems])).toEqual([
    ['Halted', [nothingPairs]],
    ['Enabled', undefined],
  ]);
});

it('refuses to enable an integration whose data source or Journey host is not configured any more', async () => {
  const app = await createApp();
  await test.parts.pool.query(
    `update sync.integration set config = jsonb_set(config, '{journey,baseUrl}', '"https://old.example.com/api/v4/1"')
     where app_id = $1`,
    [app.id],
  );
  expect(await enable(app)).toMatchObject([
    {
      status: 'Disabled',
      problems: [{ field: 'journey.baseUrl', reason: 'is not a Journey deployment configured for Production' }],
    },
  ]);
  expect(test.engine.targets).toEqual([]);
});

it('does not test an integration that is enabled already', async () => {
  const app = await createApp();
  await enable(app);
  test.engine.targets.length = 0;
  test.engine.connectionTest = { ...bothReached, problems: [nothingPairs] };
  expect(await enable(app)).toEqual([{ appId: app.id, status: 'Enabled', message: 'It is already enabled.' }]);
  expect(test.engine.targets).toEqual([]);
});

const halt = async (app: TestApp) => {
  await enable(app);
  await until(() => test.engine.running(app.id).length === 1);
  test.engine.running(app.id)[0]?.end({ outcome: 'halted', reason: 'no longer holds version 3', position: '' });
  await until(async () => (await show(app)) === 'Halted');
};
const move = ({ id }: TestApp) =>
  test.call(moveCursor, { appId: id, direction: 'journey-to-helium', version: '77', confirmation: 'MOVE' });
const countMoves = () => test.engine.calls.filter(({ name }) => name === 'moveCursor').length;

it('moves no cursor of a halted integration that cannot run, in the words of Enable', async () => {
  const app = await createApp();
  await halt(app);
  const before = countMoves();
  test.engine.connectionTest = { ...bothReached, problems: [nothingPairs] };
  const [refused] = await enable(app);
  expect(await move(app)).toMatchObject({ status: 409, body: { message: refused?.message } });
  expect([countMoves() - before, await show(app)]).toEqual([0, 'Halted']);
  test.engine.connectionTest = bothReached;
  expect(await move(app)).toMatchObject({ status: 200, body: { status: 'Enabled', oplogVersion: '77' } });
});

it('moves the cursor of a disabled integration without a check, because it stays disabled', async () => {
  const app = await createApp();
  test.engine.connectionTest = { ...bothReached, problems: [nothingPairs] };
  expect(await move(app)).toMatchObject({ status: 200, body: { status: 'Disabled', oplogVersion: '77' } });
  expect(test.engine.targets).toEqual([]);
});
