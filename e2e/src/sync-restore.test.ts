/**
 * A restore of one side under a running integration, in the system that `npm start` starts: nothing
 * is changed until a person decides, and keeping both loses no record.
 */
import { randomUUID } from 'node:crypto';
import { withBase } from '@portal/contract/sync/base';
import { getConflicts } from '@portal/contract/sync/conflicts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { arriveAtLive, live } from './live-integration.ts';
import { copySchema } from './schema-restore.ts';
import { fetchIntegration } from './sync-form-steps.ts';
import { rowOf, stopDeviceEdits } from './sync-screen.ts';
import { gone, seen } from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

const pollOptions = { interval: 200 };
const environment = 'Staging';
const appName = 'Farmer Input Vouchers';

test('halts when the schema of an app is restored from an older dump, explains it, and loses no record when both are kept', async () => {
  const page = await demo.open();
  const { appId, clients } = await arriveAtLive(page, environment, appName);
  const readIntegration = () => fetchIntegration(page, appId, environment);
  await stopDeviceEdits(clients.journeyUrl);
  const readHelium = (id: string) =>
    clients.inHelium('AgroDealer', id).then(
      ({ attributes }) => attributes.name,
      () => undefined,
    );
  const readJourney = (id: string) =>
    clients.inJourney('agroDealer', id).then(
      ({ name }) => name,
      () => undefined,
    );
  const readBoth = async (id: string) => [await readHelium(id), await readJourney(id)];

  const [before, fromHelium, fromDevice] = [randomUUID(), randomUUID(), randomUUID()];
  await clients.editHelium('AgroDealer', before, { name: 'Kabwe Farm Store' });
  await expect.poll(() => readJourney(before), pollOptions).toBe('Kabwe Farm Store');
  const restoreSchema = await copySchema(demo.stateDir, environment, appName);
  await clients.editHelium('AgroDealer', fromHelium, { name: 'Mongu Co-op' });
  await clients.createInJourney('agroDealer', fromDevice, { name: 'Choma Co-op' });
  await clients.editJourney('agroDealer', before, { name: 'Kabwe Agro Supplies' });
  await expect.poll(() => readBoth(fromHelium), pollOptions).toEqual(['Mongu Co-op', 'Mongu Co-op']);
  await expect.poll(() => readBoth(fromDevice), pollOptions).toEqual(['Choma Co-op', 'Choma Co-op']);
  await expect.poll(() => readBoth(before), pollOptions).toEqual(['Kabwe Agro Supplies', 'Kabwe Agro Supplies']);

  await restoreSchema();
  await expect.poll(readIntegration, pollOptions).toMatchObject({ status: 'Halted', needsDecision: true });
  expect(await readBoth(before)).toEqual(['Kabwe Farm Store', 'Kabwe Agro Supplies']);
  expect(await readBoth(fromHelium)).toEqual([undefined, 'Mongu Co-op']);
  expect(await readBoth(fromDevice)).toEqual([undefined, 'Choma Co-op']);

  await rowOf(page, appName).getByRole('button', { name: 'Needs a decision' }).click();
  const dialog = page.getByRole('dialog', { name: `Records of ${appName}` });
  await seen(dialog.getByRole('heading', { name: 'Helium went back to an earlier state' }));
  await seen(dialog.getByText('Nothing was changed or deleted.'));
  await seen(dialog.getByRole('region', { name: 'Differences per object' }).getByText('agrodealer'));
  await expect.poll(() => dialog.getByRole('radio', { name: 'Keep both' }).isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep both', exact: true }).click();
  await seen(dialog.getByRole('status').filter({ hasText: 'Nothing is deleted.' }));

  await expect.poll(readIntegration, pollOptions).toMatchObject(live);
  await expect.poll(() => readBoth(fromHelium), pollOptions).toEqual(['Mongu Co-op', 'Mongu Co-op']);
  await expect.poll(() => readBoth(fromDevice), pollOptions).toEqual(['Choma Co-op', 'Choma Co-op']);
  const isEqual = async () => {
    const [helium, journey] = await readBoth(before);
    return helium !== undefined && helium === journey;
  };
  await expect.poll(isEqual, pollOptions).toBe(true);
  const path = withBase('/sync-stb/api/', getConflicts).path.replace(':appId', appId);
  const readConflict = async () => {
    const { conflicts } = getConflicts.response.parse(await (await page.request.get(path)).json());
    const conflict = conflicts.find(({ id, column }) => id === before && column === 'name');
    return conflict && [conflict.helium, conflict.journey];
  };
  await expect.poll(readConflict, pollOptions).toEqual(['Kabwe Farm Store', 'Kabwe Agro Supplies']);
  await dialog.getByRole('button', { name: 'Show the conflicts' }).click();
  // Scheduled functions may have changed more records since the copy than a page of the table
  // shows.
  const conflicts = dialog.getByRole('region', { name: 'Conflicts' });
  await conflicts.getByPlaceholder('Search').fill(before);
  await seen(conflicts.getByText('Kabwe Farm Store'));
  await page.keyboard.press('Escape');
  await gone(rowOf(page, appName).getByRole('button', { name: 'Needs a decision' }));
});
