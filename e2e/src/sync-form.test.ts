/** The form of a sync integration in a browser, in the system that `npm start` starts. */
import { withBase } from '@portal/contract/sync/base';
import { viewNoteReason } from '@portal/contract/sync/config';
import { getIntegration } from '@portal/contract/sync/integration';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import {
  alert,
  destroy,
  edit,
  enabled,
  fetchIntegration,
  journeyPassword,
  row,
  saveAndConfirm,
  saveButton,
  skipTables,
} from './sync-form-steps.ts';
import {
  answerDialog,
  arrive,
  chooseOption,
  type demo as Demo,
  gone,
  readBreadcrumbs,
  seen,
  select,
} from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

describe('new integration', () => {
  test('fills the form from the template, tests it, shows the full configuration and creates it', async () => {
    demo.trouble.expect(/WebSocket/);
    const page = await demo.open();
    const apps = await arrive(page, '/sync');
    const id = apps.find(({ name }) => name === 'Vaccine Cold Chain')?.id ?? '';
    // The system creates its integrations while it is already in use.
    await expect.poll(() => fetchIntegration(page, id)).toBeDefined();
    const former = await fetchIntegration(page, id);
    await destroy(page, id);
    await page.goto('/#/sync/form');
    await expect.poll(() => readBreadcrumbs(page)).toEqual(['Home', 'Sync', 'Merge']);
    await select(page, 'App').click();
    const offered = page.getByRole('option', { name: /^Vaccine Cold Chain.*helium-app-1$/ });
    await seen(offered);
    await expect.poll(() => page.getByRole('option', { name: /^Stock Visibility/ }).count()).toBe(0);
    await offered.click();
    await seen(saveButton(page));
    await expect.poll(() => select(page, 'Data source').inputValue()).toBe('helium-app-1');
    await expect.poll(() => page.getByLabel('Helium schema').inputValue()).toBe('cold_chain_001');
    await expect.poll(() => page.getByLabel('Helium schema').isEditable()).toBe(false);

    await page.getByLabel('Journey base URL').fill(former?.journeyBaseUrl ?? '');
    await page.getByLabel('Journey password').focus();
    await expect.poll(() => page.getByLabel('Journey username').inputValue()).toBe(former?.journeyUserName);
    await saveButton(page).click();
    await seen(page.getByText('Is missing'));
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('password');

    await page.getByLabel('Journey password').fill('wrong');
    await page.getByRole('button', { name: 'Test connection' }).click();
    const testResult = page.getByRole('region', { name: 'Connection test' });
    await seen(testResult.getByText('Not reached'));
    await page.getByLabel('Journey password').fill(journeyPassword);
    await page.getByText('Which tables to skip').click();
    await page.getByRole('button', { name: 'Fill in from the schema' }).click();
    await expect.poll(() => skipTables(page).inputValue()).toContain('fridge_day');
    await page.getByRole('button', { name: 'Test connection' }).click();
    await expect.poll(() => testResult.getByText('Reached', { exact: true }).count()).toBe(2);
    await testResult.getByText(/notes? on objects that are not synced/).click();
    await seen(testResult.getByText('fridge_day'));

    await saveButton(page).click();
    const dialog = page.getByRole('dialog', { name: 'Create this integration?' });
    await expect.poll(() => row(dialog, 'Journey password')).toEqual(['Journey password', 'new password']);
    expect(await dialog.getByText(journeyPassword, { exact: true }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(new RegExp(`#/sync/${id}`));
    await expect.poll(async () => (await fetchIntegration(page, id))?.status).toBe('Enabled');
  });

  test('asks for the data source of an app whose data source does not respond', async () => {
    demo.trouble.expect(/502/);
    const page = await demo.open();
    const problem = { message: 'The data source did not respond.', kind: 'unreachable' };
    await page.route('**/schema-access/app-schemas', (route) => route.fulfill({ status: 502, json: problem }));
    await arrive(page, '/sync/form');
    await select(page, 'App').fill('mal');
    await page.getByRole('option').first().click();
    await seen(page.getByText('The data source of this app is not known. Choose it above.'));
    await chooseOption(page, select(page, 'Data source'), 'helium-app-1');
    await seen(saveButton(page));
  });

  test('refuses an integration for an app that already has one', async () => {
    const page = await demo.open();
    const apps = await arrive(page, '/sync');
    const id = apps.find(({ name }) => name === 'Stock Visibility')?.id ?? '';
    await page.goto(`/#/sync/form?source=helium-app-1&app=${id}`);
    await seen(page.getByText(`There is already an integration for ${id}`));
    await page.getByRole('link', { name: 'Edit it' }).click();
    await page.waitForURL(new RegExp(`#/sync/form/${id}$`));
  });

  test('reports that there are no apps, and that the template cannot be loaded', async () => {
    demo.trouble.expect(/502/);
    const page = await demo.open();
    const who: typeof Demo = { userName: 'health.dev', password: 'health' };
    await arrive(page, '/sync/form?source=helium-app-2', { who });
    await seen(page.getByText(/^No apps found on http/));

    await page.route('**/get-template', (route) => route.fulfill({ status: 502, body: '' }));
    const apps = await arrive(page, '/sync');
    const id = apps.find(({ name }) => name === 'Malaria Case Surveillance')?.id ?? '';
    await page.goto(`/#/sync/form?source=helium-app-1&app=${id}`);
    const errorText = 'Unable to fetch template: Bad Gateway - Invalid response from the upstream server';
    await seen(page.getByRole('main').getByText(errorText));
    await page.unroute('**/get-template');
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
    await seen(saveButton(page));
  });
});

describe('existing integration', () => {
  test('saves the differences, and leaves the form only after a confirmation', async () => {
    const page = await demo.open();
    await edit(page, 'Stock Visibility');
    await expect.poll(() => page.getByLabel('Change Log Min Version').isEditable()).toBe(false);
    await seen(page.getByText('Change-log version processed'));
    await skipTables(page).fill('stock_on_hand,');
    await seen(page.getByText('Must not end with a comma'));
    await skipTables(page).fill('stock_on_hand');
    await page.getByRole('link', { name: 'Home' }).first().click();
    await answerDialog(page, 'Leave without saving?', 'Stay');
    await expect.poll(() => skipTables(page).inputValue()).toBe('stock_on_hand');
    await saveButton(page).click();
    const dialog = page.getByRole('dialog', { name: 'Save these changes?' });
    await expect
      .poll(() => row(dialog, 'Change Log Skip Tables'))
      .toEqual(['Change Log Skip Tables', '–', 'stock_on_hand']);
    await expect.poll(() => dialog.locator('tbody tr:not([inert])').count()).toBe(1);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await gone(dialog);
    await page.getByRole('button', { name: 'Back' }).click();
    await answerDialog(page, 'Leave without saving?', 'Leave');
    await page.waitForURL(/#\/sync$/);
  });

  test('returns to the previous page after a save as disabled', async () => {
    const page = await demo.open();
    const id = await edit(page, 'Stock Visibility');
    await enabled(page).press('Space');
    await saveAndConfirm(page);
    await page.waitForURL(/#\/sync$/);
    await expect.poll(async () => (await fetchIntegration(page, id))?.status).toBe('Disabled');
  });

  test('shows a wrong password only at its field, with the focus there, and resumes when it is corrected', async () => {
    const page = await demo.open();
    const id = await edit(page, 'Livestock Traceability');
    const password = page.getByLabel('Journey password');
    await password.fill('wrong');
    await saveAndConfirm(page);
    await seen(page.getByText(/does not accept these credentials \(status 401\)/));
    await expect.poll(() => page.getByText(/does not accept these credentials/).count()).toBe(1);
    await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => page.getByLabel('Journey base URL').getAttribute('aria-invalid')).toBeNull();
    await expect.poll(() => password.evaluate((input) => input === document.activeElement)).toBe(true);
    await expect.poll(() => password.inputValue()).toBe('wrong');
    await skipTables(page).fill('no_such_table');
    await password.fill(journeyPassword);
    await saveAndConfirm(page);
    await seen(page.getByText(/Helium has no table no_such_table/).first());
    await expect.poll(() => skipTables(page).getAttribute('aria-invalid')).toBe('true');
    await skipTables(page).fill('');
    await saveAndConfirm(page);
    await page.waitForURL(new RegExp(`#/sync/${id}`));
    await expect.poll(async () => (await fetchIntegration(page, id))?.status).toBe('Enabled');
  });

  test('reports that an integration does not exist', async () => {
    demo.trouble.expect(/404/);
    const page = await demo.open();
    const apps = await arrive(page, '/sync');
    await page.goto(`/#/sync/form/${apps.find(({ name }) => name === 'Grain Collection')?.id}`);
    await seen(page.getByText('There is no integration for Grain Collection.'));
  });
});

describe('enrollment settings', () => {
  test('shows every name with its type, and loads another template for the other mode', async () => {
    demo.trouble.expect(/502/);
    const page = await demo.open();
    await edit(page, 'Community Health Visits');
    const attribute = page.getByLabel('Allowed access field name');
    await expect.poll(() => attribute.inputValue()).toBe('allowedAccess');
    await attribute.fill('clinic_id');
    await seen(page.getByText(/^Must not end in _id/));
    await page.route('**/get-template-enrollment', (route) => route.fulfill({ status: 502, body: '' }));
    await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
    await seen(alert(page, /^.*Unable to fetch enrollment template Bad Gateway/));
    await expect.poll(() => attribute.inputValue()).toBe('clinic_id');

    await page.unroute('**/get-template-enrollment');
    await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
    await expect.poll(() => page.getByLabel('Session object name').count()).toBe(0);
    await seen(page.getByLabel('Helium session object'));
    await expect.poll(() => page.getByLabel('Helium session object').first().inputValue()).toBe('UserSession');
    await seen(page.getByRole('group', { name: 'Session containers' }).getByText('UUID', { exact: true }));
    await select(page, 'Update interval').click();
    const choices = Array.from({ length: 12 }, (_, at) => `${(at + 1) * 5} minutes`);
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(choices);
  });

  test('shows the stored names again when the mode is changed back, although the template has others', async () => {
    const page = await demo.open();
    await page.route('**/get-template-enrollment', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), heliumObjectName: 'OfTheTemplate' } });
    });
    await edit(page, 'Community Health Visits');
    const objectName = page.getByLabel('Helium user object').first();
    await expect.poll(() => objectName.inputValue()).not.toBe('');
    const stored = await objectName.inputValue();
    await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
    await expect.poll(() => objectName.inputValue()).toBe('OfTheTemplate');
    await chooseOption(page, select(page, 'Mode'), 'Single device per user');
    await seen(page.getByLabel('Allowed access field name'));
    await expect.poll(() => objectName.inputValue()).toBe(stored);
  });
});

test('shows what the last run warned of, such as columns that Helium computes, until the connection is tested', async () => {
  const warning = 'household.contact: Helium computes its value, so it is only synced to Journey.';
  const page = await demo.open();
  const { path } = withBase('/sync/api/', getIntegration);
  await page.route(`**${path.replace(':appId', '*')}`, async (route) => {
    const found = getIntegration.response.parse(await (await route.fetch()).json());
    const mappingWarnings = { count: 12, first: [warning] };
    await route.fulfill({ json: { ...found, mappingWarnings } });
  });
  await edit(page, 'Community Health Visits');
  const warnings = page.getByRole('region', { name: 'Warnings of the last run' });
  await seen(warnings.getByText(warning));
  await seen(warnings.getByText('11 more warnings: test the connection to list all.'));
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Journey password').fill(journeyPassword);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await seen(page.getByRole('region', { name: 'Connection test' }));
  await gone(warnings);
});

describe('connection test', () => {
  const reached = { reached: true, message: 'It answers.' };

  test('shows each problem at its field, even in a collapsed section, and drops it with its mode', async () => {
    const page = await demo.open();
    await edit(page, 'Community Health Visits');
    const problem = { field: 'journeyToHeliumEnrollment.barcodeFieldName', reason: 'is no attribute of it' };
    await page.route('**/test-connection', (route) =>
      route.fulfill({ json: { helium: reached, journey: reached, problems: [problem], notes: [] } }),
    );
    const runConnectionTest = page.getByRole('button', { name: 'Test connection' });
    await runConnectionTest.click();
    const barcode = page.getByLabel('Barcode field name');
    await barcode.press('End');
    await page.keyboard.type('Text');
    await expect.poll(() => barcode.inputValue()).toMatch(/\wText$/);

    await runConnectionTest.click();
    await seen(page.getByText('1 field needs attention · 1 field changed'));
    await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
    await seen(page.getByText(/^\d+ fields changed$/));
  });

  test('does not overwrite input during the test', async () => {
    const page = await demo.open();
    await edit(page, 'Stock Visibility');
    let releaseResponse = () => {};
    const isAsked = new Promise<void>((resolve) => {
      releaseResponse = resolve;
    });
    const note = { severity: 'left-out', object: 'stock_day', field: null, reason: viewNoteReason };
    await page.route('**/test-connection', async (route) => {
      await isAsked;
      await route.fulfill({ json: { helium: reached, journey: reached, problems: [], notes: [note] } });
    });
    await page.getByText('Which tables to skip').click();
    await page.getByRole('button', { name: 'Fill in from the schema' }).click();
    await skipTables(page).fill('delivery');
    releaseResponse();
    await seen(page.getByText('1 view added.'));
    await expect.poll(() => skipTables(page).inputValue()).toBe('delivery,stock_day');
  });
});

test('passes axe in the form', async () => {
  const page = await demo.open({ viewport: { width: 1280, height: 800 } });
  await edit(page, 'Community Health Visits');
  for (const summary of await page.locator('summary').all()) await summary.click();
  await seen(page.getByLabel('Journey app ID'));
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await violations(page), `${width} wide`).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${width} wide`).toBeLessThanOrEqual(0);
  }
});
