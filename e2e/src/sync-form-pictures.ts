import { testConnection } from '@portal/contract/sync/config';
import { getIntegration } from '@portal/contract/sync/integration';
import type { Page, Route } from 'playwright-core';
import type { Picture, Stage } from './picture-stage.ts';
import { enabled, fetchConfig, journeyPassword, saveButton, skipTables } from './sync-form-steps.ts';
import { chooseOption, seen, select } from './user-actions.ts';

const health = 'Community Health';
const lookedUp = '**/sync/api/get/*';

const required =
  "Journey's model has no counterpart for this attribute. Helium requires a value, so it rejects new records from Journey.";
const mappingWarnings = [
  { object: 'household', field: 'contact', reason: required },
  { object: 'healthworker', field: 'groupname', reason: required },
  { object: 'visit', field: 'answers', reason: "Helium's json cannot be synced." },
].map((note) => ({ severity: 'warning' as const, ...note }));

/** The form of a sync integration, also during concurrent changes. */
export const syncFormPictures: readonly Picture[] = [
  {
    name: 'sync-form-new',
    phone: true,
    async show({ page, open, app }) {
      await open('/sync/form?source=helium-app-1');
      await select(page, 'App').click();
      await page.getByRole('option', { name: app('Malaria').name }).click();
      await seen(saveButton(page));
    },
  },
  {
    name: 'sync-form',
    phone: true,
    async show(stage) {
      await edit(stage, health);
    },
  },
  {
    name: 'sync-form-helpers',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await edit(stage, health);
      await skipTables(page).fill('visits_per_worker,');
      await page.getByText('Which tables to skip').click();
      await toTop(page, 'Helium to Journey');
    },
  },
  {
    name: 'sync-form-enrollment',
    phone: true,
    async show(stage) {
      await edit(stage, health);
      await toTop(stage.page, 'Journey to Helium enrollment');
    },
  },
  {
    name: 'sync-form-enrollment-session',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await edit(stage, health);
      await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
      const sessions = page.getByRole('group', { name: 'Sessions', exact: true });
      await sessions.getByLabel('State field name').fill('state_id');
      await sessions.evaluate((group) => group.scrollIntoView());
    },
  },
  {
    name: 'sync-form-connection',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await edit(stage, health);
      await page.getByLabel('Journey password').fill(journeyPassword);
      await page.getByRole('button', { name: 'Test connection' }).click();
      const testResult = page.getByRole('region', { name: 'Connection test' });
      await testResult.getByText(/notes? on objects that are not synced/).click();
      await testResult.evaluate((section) => section.scrollIntoView({ block: 'center' }));
    },
  },
  {
    name: 'sync-form-warnings',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await edit(stage, health);
      await page.route('**/sync/api/test-connection', async (route) => {
        const result = testConnection.response.parse(await (await route.fetch()).json());
        await route.fulfill({ json: { ...result, notes: [...mappingWarnings, ...result.notes] } });
      });
      await page.getByLabel('Journey password').fill(journeyPassword);
      await page.getByRole('button', { name: 'Test connection' }).click();
      const testResult = page.getByRole('region', { name: 'Connection test' });
      await seen(testResult.getByRole('region', { name: 'Warnings' }));
      await testResult.evaluate((section) => section.scrollIntoView({ block: 'center' }));
    },
  },
  {
    name: 'sync-form-shared',
    phone: true,
    async show(stage) {
      const { page, app } = stage;
      await edit(stage, 'Stock Visibility');
      const { journey } = await fetchConfig(page, app(health).id);
      await page.getByLabel('Journey base URL').fill(journey.baseUrl);
      await page.getByLabel('Journey username').fill(journey.restAPICredentials.userName);
      await page.getByLabel('Journey password').fill(journeyPassword);
      await page.getByRole('button', { name: 'Test connection' }).click();
      const testResult = page.getByRole('region', { name: 'Connection test' });
      await seen(testResult.getByText(/uses it, too/));
      await testResult.evaluate((section) => section.scrollIntoView({ block: 'center' }));
    },
  },
  {
    name: 'sync-form-difference',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await changed(stage);
      await saveButton(page).click();
      await seen(page.getByRole('dialog', { name: 'Save these changes?' }));
    },
  },
  {
    name: 'sync-form-overtaken',
    phone: true,
    async show(stage) {
      await changedByOther(stage);
    },
  },
  {
    name: 'sync-form-compare',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await changedByOther(stage);
      await page.getByRole('button', { name: 'Compare with mine' }).click();
      await seen(page.getByRole('dialog', { name: 'Load the changes saved by thandi?' }));
    },
  },
  {
    name: 'sync-form-deleted',
    phone: true,
    async show(stage) {
      const { page } = stage;
      await changed(stage);
      await lookAgain(page, (route) => route.fulfill({ status: 404, json: { message: 'There is no integration.' } }));
      await seen(page.getByRole('button', { name: 'Create it again' }));
    },
  },
  {
    name: 'sync-form-leave',
    async show(stage) {
      const { page } = stage;
      await changed(stage);
      await page.getByRole('button', { name: 'Back' }).click();
      await seen(page.getByRole('dialog', { name: 'Leave without saving?' }));
    },
  },
];

async function edit({ page, open, app }: Stage, name: string): Promise<void> {
  await open(`/sync/form/${app(name).id}`);
  await seen(saveButton(page));
}

async function changed(stage: Stage): Promise<void> {
  await edit(stage, health);
  await enabled(stage.page).press('Space');
  await skipTables(stage.page).fill('reminderqueue,referral');
}

/** Simulates another user's save in the response only; nothing is changed. */
async function changedByOther(stage: Stage): Promise<void> {
  const { page } = stage;
  await changed(stage);
  await lookAgain(page, async (route) => {
    const { config, ...integration } = getIntegration.response.parse(await (await route.fetch()).json());
    const changedAt = new Date(Date.now() - 4 * 60_000).toISOString();
    const heliumToJourney = { ...config.heliumToJourney, changeLogSkipTables: ['reminderqueue'] };
    await route.fulfill({
      json: {
        ...integration,
        changedAt,
        changedBy: 'thandi',
        config: { ...config, heliumToJourney, conflictPolicy: 'helium', basedOn: changedAt },
      },
    });
  });
  await seen(page.getByRole('button', { name: 'Compare with mine' }));
}

/** The form refreshes the integration's state whenever its window gets the focus. */
async function lookAgain(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route(lookedUp, answer, { times: 1 });
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
}

async function toTop(page: Page, section: string): Promise<void> {
  const region = page.getByRole('region', { name: section, exact: true });
  await seen(region);
  await region.evaluate((section) => section.scrollIntoView());
}
