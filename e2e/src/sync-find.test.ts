// @module-tag long

/** Finding a record, waiting records and "Try now", as operators use them in the records dialog. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import {
  breakJourney,
  editHelium,
  editJourney,
  integrationNamed,
  openSync,
  rowOf,
  stopDeviceEdits,
  untilInJourney,
} from './sync-screen.ts';
import { gone, seen, showsBriefly } from './user-actions.ts';

const app = { environment: 'Staging', name: 'Farmer Input Vouchers' };

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());

test('finds a record on both sides, shows that Journey does not answer, and tries again on request', async () => {
  const page = await demo.open();
  await openSync(page, '/sync', app);
  const integration = await integrationNamed(page, app.name, '/sync-stb/api/');
  await stopDeviceEdits(integration.journeyBaseUrl);
  const farmer = randomUUID();
  await editHelium(integration, 'Farmer', farmer, { nationalId: 'NRC00003001', hectares: 2 });
  await untilInJourney(integration, 'farmer', farmer);

  await page.getByRole('button', { name: `Records ${app.name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Records of ${app.name}` });
  await dialog.getByRole('tab', { name: 'Waiting' }).click();
  await seen(dialog.getByText('No waiting records.'));
  await dialog.getByRole('tab', { name: 'Find a record' }).click();
  await dialog.getByLabel('Id or value').fill(farmer.toUpperCase());
  await dialog.getByRole('button', { name: 'Find', exact: true }).click();
  const card = dialog.getByRole('article', { name: `farmer ${farmer}` });
  const hectares = card.getByRole('row', { name: /^hectares/ });
  await expect.poll(() => hectares.getByRole('cell').allTextContents()).toEqual(['2', '2', '2']);
  await seen(card.getByText('Nothing.'));
  await seen(card.getByText(/Helium’s change reached Journey \(change log up to \d+\)/).first());
  expect(await violations(page)).toEqual([]);

  await editHelium(integration, 'Farmer', farmer, { hectares: 'NaN' });
  await seen(card.getByText(/Helium to Journey, since .*farmer.hectares: NaN/));
  await seen(card.getByText(`farmer/${farmer} was rejected by Journey`, { exact: false }).first());
  await card.getByRole('button', { name: 'Skip' }).click();
  await seen(card.getByRole('button', { name: 'Resume' }));
  await seen(dialog.getByRole('tab', { name: 'Skipped (1)' }));
  await editHelium(integration, 'Farmer', farmer, { hectares: 5 });
  await gone(dialog.getByRole('tab', { name: 'Skipped (1)' }));

  await dialog.getByRole('combobox', { name: 'Table' }).selectOption('farmer');
  await dialog.getByRole('combobox', { name: 'Column' }).selectOption('nationalid');
  await dialog.getByLabel('Value', { exact: true }).fill('NRC00003001');
  await dialog.getByRole('button', { name: 'Find', exact: true }).click();
  await expect.poll(() => hectares.getByRole('cell').first().textContent()).toBe('5');

  await breakJourney(integration, [{ mode: 'refuse', path: 'batch|oplog|query' }]);
  await editHelium(integration, 'Farmer', farmer, { hectares: 6 });
  await seen(dialog.getByText(/^To Journey: Waiting: /));
  await dialog.getByRole('button', { name: 'Find', exact: true }).click();
  await seen(card.getByRole('columnheader', { name: /^Journey now .*(closed the connection|failed several|reached)/ }));
  await expect.poll(() => hectares.getByRole('cell').first().textContent()).toBe('6');
  await breakJourney(integration, null);
  await showsBriefly(page.getByText('The next attempt starts within a second.'), () =>
    dialog.getByRole('button', { name: 'Try now' }).click(),
  );
  await seen(dialog.getByText(/^To Journey: Live/));
  await gone(dialog.getByRole('button', { name: 'Try now' }));
  await showsBriefly(page.getByText('The record is read again on both sides.'), () =>
    card.getByRole('button', { name: 'Look again' }).click(),
  );
  await page.keyboard.press('Escape');
  await seen(rowOf(page, app.name));
});

test('finds a record of a device by its value, and follows the link to the parent that it waits for', async () => {
  const page = await demo.open();
  await openSync(page, '/sync', app);
  const integration = await integrationNamed(page, app.name, '/sync-stb/api/');
  await stopDeviceEdits(integration.journeyBaseUrl);
  const [voucher, farmer] = [randomUUID(), randomUUID()];
  await editJourney(integration, 'voucher', voucher, { code: 'EV-LOST-1', farmer_id: farmer });

  await page.getByRole('button', { name: `Records ${app.name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Records of ${app.name}` });
  await dialog.getByRole('tab', { name: 'Parked (1)' }).click();
  await dialog.getByRole('searchbox').fill('ev-lost');
  const waiting = dialog.getByRole('row').filter({ hasText: voucher });
  await seen(waiting);
  expect(await violations(page)).toEqual([]);

  await dialog.getByRole('tab', { name: 'Find a record' }).click();
  await dialog.getByLabel('Id or value').fill('EV-LOST-1');
  await dialog.getByRole('button', { name: 'Find', exact: true }).click();
  const card = dialog.getByRole('article', { name: `voucher ${voucher}` });
  await seen(card.getByText('Only Journey has it. It reaches Helium once the problem below is resolved.'));
  await card.getByRole('button', { name: `farmer/${farmer}` }).click();

  const parent = dialog.getByRole('article', { name: `farmer ${farmer}` });
  await seen(parent.getByText(/^Neither side has it\. It arrives when a device uploads a farmer with this id/));
  expect(await dialog.getByLabel('Id or value').inputValue()).toBe(farmer);
  await seen(parent.getByRole('button', { name: `voucher/${voucher}` }));
  expect(await violations(page)).toEqual([]);
  await editHelium(integration, 'Farmer', farmer, { nationalId: 'NRC00003002', hectares: 1 });
  await gone(parent.getByText(/^Neither side has it/));
  await gone(parent.getByRole('button', { name: `voucher/${voucher}` }));
});
