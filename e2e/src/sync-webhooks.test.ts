// @module-tag long

/**
 * Journey's webhooks, set up in the form of an integration, in the system that `npm start` starts.
 */
import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { createPlatformClients } from './platform-clients.ts';
import { fetchIntegration, saveButton } from './sync-form-steps.ts';
import { stopDeviceEdits } from './sync-screen.ts';
import { arrive, gone, seen } from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

const pollOptions = { interval: 100 };
const hookSchema = z.object({ name: z.string(), secret: z.string() });

/** Does what an administrator of Journey does under Manage Webhooks. */
function manageWebhooks(journeyUrl: string) {
  const id = new URL(journeyUrl).pathname.split('/').filter(Boolean).at(-1);
  const control = new URL(`/simulator/deployments/${id}/webhooks`, journeyUrl);
  const list = async () => z.array(hookSchema).parse(await (await fetch(control)).json());
  return {
    async readSecrets() {
      return (await list()).map(({ secret }) => secret);
    },
    async enableAll(address: string) {
      for (const { name } of await list()) {
        const response = await fetch(control, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name, url: address, enabled: true }),
        });
        expect(response.status).toBe(200);
      }
    },
  };
}

const isInView = (heading: Locator) =>
  heading.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return document.activeElement === element && top >= 0 && bottom <= innerHeight;
  });

const section = (page: Page) => page.getByRole('region', { name: 'Webhooks' });

test('sets webhooks up with the address and the secrets, and shows whether they arrive', async () => {
  const page = await demo.open();
  const environment = 'Staging';
  const apps = await arrive(page, '/sync', { environment });
  const appId = apps.find(({ name }) => name === 'Farmer Input Vouchers')?.id ?? '';
  const live = { status: 'Enabled', heliumSyncStatus: 'Live', journeySyncStatus: 'Live' };
  await expect.poll(() => fetchIntegration(page, appId, environment), pollOptions).toMatchObject(live);
  const clients = await createPlatformClients(page, environment, appId);
  await stopDeviceEdits(clients.journeyUrl);

  await page.goto(`/#/sync/form/${appId}`);
  await seen(saveButton(page));
  const webhooks = section(page);
  await seen(webhooks.getByText('Off. No secret is stored, so webhooks are refused.'));
  const address = await webhooks.getByRole('textbox', { name: 'Webhook address' }).inputValue();
  const hooks = manageWebhooks(clients.journeyUrl);
  const secrets = await hooks.readSecrets();
  expect(secrets.length).toBeGreaterThan(1);

  await webhooks.getByRole('button', { name: 'Enter secrets' }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter the webhook secrets' });
  await dialog.getByRole('button', { name: 'Save secrets' }).click();
  await seen(dialog.getByText('Enter at least one secret.'));
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Secrets' }).fill(secrets.join('\n'));
  await dialog.getByRole('button', { name: 'Save secrets' }).click();
  await gone(dialog);
  await seen(webhooks.getByText(`${secrets.length} secrets are stored. No webhook has arrived yet.`));
  // Not before: the sync's own writes cause webhooks, too.
  await hooks.enableAll(address);

  const dealer = randomUUID();
  await clients.createInJourney('agroDealer', dealer, { name: 'Mongu Co-op', province: 'Western', approved: false });
  const name = () => clients.inHelium('AgroDealer', dealer).then(({ attributes }) => attributes.name, String);
  await expect.poll(name, pollOptions).toBe('Mongu Co-op');
  await seen(webhooks.getByText(/The last webhook arrived/));
  expect(await webhooks.textContent()).not.toContain(secrets[0]);
  expect(await violations(page)).toEqual([]);

  await webhooks.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('dialog', { name: 'Turn webhooks off' }).getByRole('button', { name: 'Turn off' }).click();
  await seen(webhooks.getByText('Off. No secret is stored, so webhooks are refused.'));
  await clients.editJourney('agroDealer', dealer, { name: 'Mongu Farm Store' });
  await expect.poll(name, pollOptions).toBe('Mongu Farm Store');

  await webhooks.getByRole('link', { name: 'How to set them up' }).click();
  const heading = page.getByRole('heading', { name: 'Webhooks' });
  await expect.poll(() => isInView(heading), pollOptions).toBe(true);
  await page.reload();
  await expect.poll(() => isInView(heading), pollOptions).toBe(true);
});
