/**
 * Records that cannot be synced and records that both sides changed, caused and resolved in the
 * running system.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { withClient } from '@portal/kit/postgres/pool';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { violations } from './axe-violations.ts';
import { findDemoDatabase } from './demo-database.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { expectActionsInSight } from './hidden-actions.ts';
import {
  breakJourney,
  editHelium,
  editJourney,
  integrationNamed,
  openSync,
  readInJourney,
  rowOf,
  stopDeviceEdits,
  untilInJourney,
} from './sync-screen.ts';
import { gone, isFocused, seen, showsBriefly } from './user-actions.ts';

const app = { environment: 'Staging', name: 'Farmer Input Vouchers' };

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

async function arriveAtList(): Promise<{ page: Page; integration: SyncIntegration; dialog: Locator }> {
  const page = await demo.open();
  await openSync(page, '/sync', app);
  const integration = await integrationNamed(page, app.name, '/sync-stb/api/');
  await stopDeviceEdits(integration.journeyBaseUrl);
  return { page, integration, dialog: page.getByRole('dialog', { name: `Records of ${app.name}` }) };
}

const pollOptions = { interval: 200 };
/** Rows that are gone keep their place, inert, while the pointer is in the list. */
const getRows = (dialog: Locator, name: string) =>
  dialog.getByRole('region', { name }).locator('tbody > tr:not([inert])');
const attemptsIn = (dialog: Locator) => dialog.locator('tr:not([inert]) td[data-label="Attempts"]').allTextContents();

test('shows records that Journey rejects with the reason and both values, retries and skips them, and syncs them when fixed', async () => {
  const { page, integration, dialog } = await arriveAtList();
  const farmers = [randomUUID(), randomUUID()] as const;
  for (const [at, id] of farmers.entries())
    await editHelium(integration, 'Farmer', id, { nationalId: `NRC0000200${at}`, hectares: 2 });
  for (const id of farmers) await untilInJourney(integration, 'farmer', id);
  for (const id of farmers) await editHelium(integration, 'Farmer', id, { hectares: 'NaN' });

  await rowOf(page, app.name).getByRole('button', { name: '2 dead letters' }).click();
  await seen(dialog.getByRole('tab', { name: 'Dead letters (2)', selected: true }));
  const dead = getRows(dialog, 'Dead letters');
  await expect.poll(() => dead.count()).toBe(2);
  const first = dead.filter({ has: page.getByRole('button', { name: `Retry farmer ${farmers[0]}` }) });
  await seen(first.getByText('farmer.hectares: NaN cannot be sent to Journey'));
  await first.getByText('Values of both sides').click();
  const differing = first.locator('[data-differs]');
  await expect.poll(() => differing.allTextContents()).toEqual(['hectaresHelium NaNJourney 2']);
  expect(await violations(page)).toEqual([]);
  await expectActionsInSight(page, 'dead letters');

  await expect.poll(() => attemptsIn(dialog)).toEqual(['1', '1']);
  await showsBriefly(page.getByText('1 record will be retried.'), () =>
    first.getByRole('button', { name: `Retry farmer ${farmers[0]}` }).click(),
  );
  await expect.poll(async () => (await attemptsIn(dialog)).toSorted()).toEqual(['1', '2']);
  await showsBriefly(page.getByText('2 records will be retried.'), () =>
    first.getByRole('button', { name: 'Retry all like this' }).click(),
  );
  await expect.poll(async () => (await attemptsIn(dialog)).toSorted()).toEqual(['2', '3']);

  await showsBriefly(page.getByText('The record is skipped until it changes again.'), () =>
    first.getByRole('button', { name: `Skip farmer ${farmers[0]}` }).click(),
  );
  await seen(dialog.getByRole('tab', { name: 'Dead letters (1)' }));
  await expect.poll(() => dead.count()).toBe(1);
  await dialog.getByRole('tab', { name: 'Skipped' }).click();
  await expect
    .poll(() =>
      getRows(dialog, 'Skipped')
        .getByRole('button', { name: /^Retry / })
        .count(),
    )
    .toBe(1);

  for (const id of farmers) await editHelium(integration, 'Farmer', id, { hectares: 3 });
  await seen(dialog.getByText('No skipped records.'));
  await dialog.getByRole('tab', { name: 'Dead letters', exact: true }).click();
  await seen(dialog.getByText('No dead letters.'));
  await page.keyboard.press('Escape');
  await gone(rowOf(page, app.name).getByRole('button', { name: /dead letter/ }));
});

/** Renames dealers on both sides before either knows of it. */
async function disagree(integration: SyncIntegration, dealers: readonly string[]): Promise<void> {
  for (const dealer of dealers) await editHelium(integration, 'AgroDealer', dealer, { name: 'As it was' });
  for (const dealer of dealers) await untilInJourney(integration, 'agroDealer', dealer);
  await breakJourney(integration, [{ mode: 'refuse', path: 'batch|oplog' }]);
  for (const dealer of dealers) {
    await editHelium(integration, 'AgroDealer', dealer, { name: 'Helium says' });
    await editJourney(integration, 'agroDealer', dealer, { name: 'Journey says' });
  }
  await breakJourney(integration, null);
}

test('shows concurrent changes with both values and the winner, and takes the other value after a review', async () => {
  const { page, integration, dialog } = await arriveAtList();
  const dealer = randomUUID();
  await disagree(integration, [dealer]);
  await rowOf(page, app.name).getByRole('button', { name: '1 conflict', exact: true }).click();
  const conflict = getRows(dialog, 'Conflicts').filter({ hasText: dealer });
  await seen(conflict);
  await expect.poll(() => conflict.textContent()).toMatch(/agrodealer.*nameHelium saysJourney says(Helium|Journey)/);
  const winner = await conflict.locator('td[data-label="Winner"]').textContent();
  await expect.poll(() => conflict.locator('ins').textContent()).toBe(`${winner} says`);
  await expect.poll(() => conflict.locator('del').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await expectActionsInSight(page, 'conflicts');

  const loser = winner === 'Helium' ? 'Journey' : 'Helium';
  const opener = conflict.getByRole('button', { name: `Change name of agrodealer ${dealer}` });
  const change = page.getByRole('dialog', { name: 'Change the value' });
  await opener.click();
  await seen(change);
  // Escape closes one layer.
  await page.keyboard.press('Escape');
  await gone(change);
  await expect.poll(() => isFocused(opener)).toBe(true);
  await opener.click();
  await seen(change.getByText(`is “${winner} says” now, as ${winner} had it.`, { exact: false }));
  await expect.poll(() => change.getByLabel(`${loser}’s: ${loser} says`).isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await showsBriefly(page.getByText('1 conflict reviewed.'), () =>
    change.getByRole('button', { name: 'Write to Helium' }).click(),
  );
  await gone(change);
  await gone(conflict);
  await expect.poll(() => readInJourney(integration, 'agroDealer', dealer), pollOptions).toContain(`${loser} says`);
  await dialog.getByLabel('Show reviewed').click();
  await seen(conflict.getByText(`${loser}’s value`));
  await seen(conflict.getByText('demo, ', { exact: false }));
  expect(await violations(page)).toEqual([]);
});

test('reviews all conflicts of a field at once, and keeps the filter in the address', async () => {
  const { page, integration, dialog } = await arriveAtList();
  const dealers = [randomUUID(), randomUUID()];
  await disagree(integration, dealers);
  await page.getByRole('button', { name: `Records ${app.name}` }).click();
  await dialog.getByRole('tab', { name: 'Conflicts (2)' }).click();
  await dialog.getByRole('button', { name: '2 agrodealer.name' }).click();
  await expect.poll(() => page.url()).toContain('conflicts.field=agrodealer.name');
  await page.reload();
  await dialog.getByRole('button', { name: 'Take Journey’s values' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Take Journey’s values' });
  await seen(confirmation.getByText('of agrodealer.name get Journey’s value.', { exact: false }));
  expect(await violations(page)).toEqual([]);
  await showsBriefly(page.getByText('2 conflicts reviewed.'), () =>
    confirmation.getByRole('button', { name: 'Take Journey’s values' }).click(),
  );
  await seen(dialog.getByText('No conflicts to review.'));
  for (const dealer of dealers)
    await expect.poll(() => readInJourney(integration, 'agroDealer', dealer), pollOptions).toContain('Journey says');
});

test('downloads a file that lost a conflict byte for byte, and restores it after a confirmation only', async () => {
  const { page, integration, dialog } = await arriveAtList();
  const [dealer, bytes] = [randomUUID(), randomBytes(2_500_000)];
  const { url } = await findDemoDatabase(demo.stateDir, app.environment, app.name);
  const number = await withClient({ connectionString: url }, async (client) => {
    const { rows } = await client.query<{ no: string }>(
      `with lost as (
         insert into __portal_sync__.conflict (state_id, table_name, id, column_name, helium, journey, winner)
         select state_id, 'agrodealer', $1, 'logo', '"sha256:1"', '"sha256:2"', 'journey'
         from __portal_sync__.run where strpos(state_key, $3) > 0 returning number, state_id)
       insert into __portal_sync__.conflict_file (state_id, conflict, column_name, side, file_name, size, bytes)
       select state_id, number, 'logo', 'helium', 'logo <1>.html', octet_length($2::bytea), $2 from lost
       returning number::text as no`,
      [dealer, bytes, integration.id],
    );
    return rows[0]?.no;
  });
  expect(number).toBeDefined();
  await page.getByRole('button', { name: `Records ${app.name}` }).click();
  await dialog.getByRole('tab', { name: /^Conflicts/ }).click();
  const conflict = getRows(dialog, 'Conflicts').filter({ hasText: 'logo <1>.html' });
  await seen(conflict.getByText('of Helium, 2.38 MiB'));
  expect(await violations(page)).toEqual([]);
  const downloading = page.waitForEvent('download');
  await conflict.getByRole('link', { name: `Download logo <1>.html of agrodealer ${dealer}` }).click();
  expect(Buffer.concat(await (await (await downloading).createReadStream()).toArray()).equals(bytes)).toBe(true);

  await conflict.getByRole('button', { name: `Restore logo <1>.html of agrodealer ${dealer}` }).click();
  const confirmation = page.getByRole('dialog', { name: 'Restore file' });
  await seen(confirmation.getByText('The current file is kept with this conflict.'));
  expect(await violations(page)).toEqual([]);
  demo.trouble.expect(/409.*restore-conflict-file/);
  await showsBriefly(page.getByText('logo of agrodealer is not synced as a file. Download the file instead.'), () =>
    confirmation.getByRole('button', { name: 'Restore' }).click(),
  );
  await gone(confirmation);
});

test('shows a record that waits for its parent, skips and retries it, and syncs it when the parent arrives', async () => {
  const { page, integration, dialog } = await arriveAtList();
  const farmer = randomUUID();
  for (const code of ['EV00001001', 'EV00001002'])
    await editJourney(integration, 'voucher', randomUUID(), { code, farmer_id: farmer });
  await rowOf(page, app.name).getByRole('button', { name: '2 parked' }).click();
  await seen(dialog.getByRole('tab', { name: 'Parked (2)', selected: true }));
  const parked = getRows(dialog, 'Parked');
  await expect.poll(() => parked.count()).toBe(2);
  await expect.poll(() => parked.first().textContent()).toContain(farmer);
  await parked.first().getByText('Values of Journey').click();
  await seen(parked.first().getByText(/EV0000100[12]/));
  await showsBriefly(page.getByText('2 records will be retried.'), () =>
    parked.first().getByRole('button', { name: 'Retry all like this' }).click(),
  );
  await expect.poll(() => attemptsIn(dialog)).toEqual(['2', '2']);
  await parked
    .first()
    .getByRole('button', { name: /^Skip / })
    .click();
  await seen(dialog.getByRole('tab', { name: 'Parked (1)' }));
  await dialog.getByRole('tab', { name: 'Skipped' }).click();
  await getRows(dialog, 'Skipped')
    .getByRole('button', { name: /^Retry / })
    .click();

  await editHelium(integration, 'Farmer', farmer, { nationalId: 'NRC00001001' });
  await seen(dialog.getByRole('tab', { name: 'Parked', exact: true }));
  await seen(dialog.getByText('No skipped records.'));
});

test('shows files that cannot be downloaded or are not uploaded, retries and skips them', async () => {
  const page = await demo.open();
  const name = 'Stock Visibility';
  const dialog = page.getByRole('dialog', { name: `Records of ${name}` });
  await openSync(page, '/sync?tab=files&records=NAME', { name });
  const integration = await integrationNamed(page, name, '/sync/api/');
  await breakJourney(integration, [{ mode: 'error500', path: 'attachments' }]);
  const [failing, announced] = [randomUUID(), randomUUID()];
  const photo = { base64: createPhoto(1_000).toString('base64'), filename: 'delivery.jpg' };
  await editJourney(integration, 'stockEvent', failing, { kind: 'Received', quantity: 1, photo });
  await editJourney(integration, 'stockEvent', announced, { kind: 'Received', quantity: 2, photo_id: randomUUID() });
  const row = (id: string) => getRows(dialog, 'Waiting files').filter({ hasText: id });
  await seen(row(failing).getByText(/500/));
  await seen(row(announced).getByText('Not uploaded'));
  expect(await violations(page)).toEqual([]);
  await expectActionsInSight(page, 'files');

  await showsBriefly(page.getByText("Helium's changes no longer wait for the file."), () =>
    row(announced)
      .getByRole('button', { name: /^Skip photo of/ })
      .click(),
  );
  await seen(row(announced).getByText('Skipped'));
  const retryAll = dialog.getByRole('button', { name: 'Retry all files' });
  await showsBriefly(page.getByText('1 file will be retried.'), () => retryAll.click());
  await breakJourney(integration, null);
  await expect
    .poll(async () => {
      // It may be retried without a click, and leave the list at any moment.
      await retryAll.click({ timeout: 1_000 }).catch(() => undefined);
      return row(failing).count();
    }, pollOptions)
    .toBe(0);
  await seen(row(announced).getByText('when it changes'));
  await editJourney(integration, 'stockEvent', announced, { photo_id: null });
  await seen(dialog.getByText('No waiting files.'));
});

test('shows an enrollment request that Journey fails, and retries it', async () => {
  const page = await demo.open();
  const name = 'Community Health Visits';
  await openSync(page, '/sync', { environment: 'Production', name });
  const integration = await integrationNamed(page, name, '/sync/api/');
  const worker = randomUUID();
  await editHelium(integration, 'HealthWorker', worker, { mobileNumber: '27821234567', active: true });
  await untilInJourney(integration, 'healthWorker', worker);
  await breakJourney(integration, [{ mode: 'error500', path: `${worker}.*(code|token)` }]);
  await editHelium(integration, 'HealthWorker', worker, { generateEnrollmentCode: true });

  await rowOf(page, name).getByRole('button', { name: '1 waiting in enrollment' }).click();
  const dialog = page.getByRole('dialog', { name: `Records of ${name}` });
  await seen(dialog.getByRole('tab', { name: 'Enrollment (1)', selected: true }));
  const waiting = getRows(dialog, 'Enrollment');
  await seen(waiting.getByText(/with status 500/));
  expect(await violations(page)).toEqual([]);
  await showsBriefly(page.getByText('Enrollment is retried now.').first(), () =>
    waiting.getByRole('button', { name: /^Retry .*healthworker/ }).click(),
  );
  await breakJourney(integration, null);
  const retryAll = dialog.getByRole('button', { name: 'Retry all enrollment' });
  await expect
    .poll(async () => {
      // It may be retried without a click, and leave the list at any moment.
      await retryAll.click({ timeout: 1_000 }).catch(() => undefined);
      return dialog.getByText('Nothing waits.').count();
    }, pollOptions)
    .toBe(1);
  await seen(dialog.getByRole('tab', { name: 'Enrollment', exact: true }));
});

test('shows the status history, compares both sides, and moves a cursor only after a typed confirmation', async () => {
  const { page, dialog } = await arriveAtList();
  await page.getByRole('button', { name: `Records ${app.name}` }).click();
  await dialog.getByRole('tab', { name: 'Status history' }).click();
  await seen(
    dialog
      .getByRole('list', { name: 'Status history' })
      .getByText(/by demo/)
      .first(),
  );
  await dialog.getByRole('tab', { name: 'Enrollment' }).click();
  await seen(dialog.getByText(/The last whole list of users had|No list of users has been written yet/));
  await seen(dialog.getByText('Nothing waits.'));
  await dialog.getByRole('tab', { name: 'Maintenance' }).click();
  await dialog.getByRole('button', { name: 'Compare both sides' }).click();
  await seen(page.getByRole('status').or(page.getByRole('alert')).getByText('Compare both sides').first());
  const move = dialog.getByRole('button', { name: 'Move the cursor' });
  await dialog.getByLabel('Version').fill('12x');
  await seen(dialog.getByText('Enter a number of 0 or more, without separators.'));
  await dialog.getByLabel('Version').fill('0');
  await dialog.getByLabel('Type MOVE to confirm').fill('move');
  await expect.poll(() => move.isDisabled()).toBe(true);
  await dialog.getByLabel('Type MOVE to confirm').fill('MOVE');
  await showsBriefly(page.getByText('Helium to Journey continues from version 0.'), () => move.click());
});
