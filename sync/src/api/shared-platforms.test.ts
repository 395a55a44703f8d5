import { testConnection } from '@portal/contract/sync/config';
import { setEnabled } from '@portal/contract/sync/integration';
import { beforeEach, expect, it } from 'vitest';
import { bothReached } from '../scripted-engine.fixture.ts';
import { configFor, startServiceForFile, type TestApp } from '../service.fixture.ts';

const test = await startServiceForFile();
const first: TestApp = { id: 'first', name: 'First', schemaName: 'first' };
const second: TestApp = { id: 'second', name: 'Second', schemaName: 'second' };

/** The same deployment, in another spelling. */
const shared = {
  ...configFor(second),
  journey: { ...configFor(second).journey, baseUrl: `${configFor(first).journey.baseUrl.replace('run', 'RUN')}/` },
};
const deploymentWarning = 'Journey deployment: The integration of First in Production uses it, too.';

beforeEach(async () => {
  test.engine.connectionTest = bothReached;
  await test.destroy(first.id);
  await test.destroy(second.id);
  await test.merge(configFor(first), first);
});

const testShared = async () =>
  (await test.call(testConnection, { config: shared, app: second, dataSource: 'apps-1' })).body.notes;

it('names the integration that uses the same Journey deployment at test, save and enable', async () => {
  const note = { severity: 'warning', object: 'Journey deployment', field: null };
  expect(await testShared()).toEqual([{ ...note, reason: 'The integration of First in Production uses it, too.' }]);
  expect(await test.merge({ ...shared, enabled: false }, second)).toEqual({ value: 'Saved.' });
  expect((await test.call(setEnabled, { appIds: [second.id], enabled: true })).body).toEqual([
    { appId: second.id, status: 'Enabled', message: 'Enabled.', warnings: `Warning: ${deploymentWarning}` },
  ]);
  expect(await test.merge(shared, second)).toEqual({ value: `Saved. Warning: ${deploymentWarning}` });
});

it('names the integration that uses the same schema of the same database, also in another environment', async () => {
  const staging = configFor({ ...first, id: 'other' });
  await test.merge(
    { ...staging, helium: { ...staging.helium, baseUrl: 'https://helium-staging.example.com' } },
    { ...first, id: 'other' },
    { environment: 'Staging' },
  );
  expect(await test.merge(configFor(first), first)).toEqual({
    value: 'Saved. Warning: Helium schema: The integration of First in Staging uses it, too.',
  });
  await test.destroy('other', { environment: 'Staging' });
});

it('names no other integration unless the platform was reached with the credentials of this one', async () => {
  test.engine.connectionTest = { ...bothReached, journey: { reached: false, message: 'Wrong password.' } };
  expect(await testShared()).toEqual([]);
});
