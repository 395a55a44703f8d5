// @module-tag long

/** What devices change of an object that syncs to Journey only, in the running system. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { expectActionsInSight } from './hidden-actions.ts';
import { edit, fetchConfig, saveAndConfirm } from './sync-form-steps.ts';
import {
  editHelium,
  editJourney,
  integrationNamed,
  readInJourney,
  stopDeviceEdits,
  untilInJourney,
} from './sync-screen.ts';
import { openRoute, seen } from './user-actions.ts';

const stock = 'Stock Visibility';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

test('lists what a device changed where its changes are not read, shows both sides, and sends the record again', async () => {
  const page = await demo.open();
  const appId = await edit(page, stock);
  await page.getByLabel('Op-log Skip Object Types').fill('facility');
  await saveAndConfirm(page);
  await expect
    .poll(async () => (await fetchConfig(page, appId)).journeyToHelium.oplogSkipObjectTypes)
    .toEqual(['facility']);
  const integration = await integrationNamed(page, stock, '/sync/api/');
  await stopDeviceEdits(integration.journeyBaseUrl);
  const facility = randomUUID();
  await editHelium(integration, 'Facility', facility, { name: 'Chisamba Clinic', code: 'F9001' });
  await untilInJourney(integration, 'facility', facility);
  await editJourney(integration, 'facility', facility, { name: 'Chisamba Health Post' });

  await openRoute(page, `/sync?tab=maintenance&records=${appId}`);
  const dialog = page.getByRole('dialog', { name: `Records of ${stock}` });
  await dialog.getByRole('button', { name: 'Compare both sides' }).click();
  await dialog.getByRole('tab', { name: /^Differences \(\d+\)$/ }).click();
  const row = dialog
    .getByRole('region', { name: 'Differences' })
    .locator('tbody > tr:not([inert])')
    .filter({ hasText: facility });
  await seen(row.getByText('Changed in Journey'));
  expect(await violations(page)).toEqual([]);
  await expectActionsInSight(page, 'differences');
  expect(await readInJourney(integration, 'facility', facility)).toContain('Chisamba Health Post');

  await row.getByRole('button', { name: `Show both sides of facility ${facility}` }).click();
  await seen(
    dialog
      .getByRole('article', { name: `facility ${facility}` })
      .getByText('Chisamba Health Post')
      .first(),
  );
  await dialog.getByRole('tab', { name: /^Differences/ }).click();
  await row.getByRole('button', { name: `Send again facility ${facility}` }).click();
  await expect.poll(() => readInJourney(integration, 'facility', facility)).toContain('Chisamba Clinic');
  await expect.poll(() => row.count()).toBe(0);
  await dialog.getByRole('tab', { name: /^Conflicts \(/ }).click();
  await seen(dialog.getByRole('region', { name: 'Conflicts' }).getByText('Chisamba Health Post'));
});
