import { randomUUID } from 'node:crypto';
import type { ResponseOf } from '@portal/contract/endpoint';
import { withBase } from '@portal/contract/sync/base';
import { auditDrift, getDifferences, getDrift } from '@portal/contract/sync/drift';
import { listIntegrations } from '@portal/contract/sync/integration';
import { getHeldRecords, type HeldRecord } from '@portal/contract/sync/records';
import type { Page } from 'playwright-core';
import type { Picture, Stage } from './picture-stage.ts';
import { breakJourney, editHelium, editJourney, integrationNamed, untilInJourney } from './sync-screen.ts';
import { answerDialog, gone, seen } from './user-actions.ts';

const health = 'Community Health';
const stock = 'Stock Visibility';

/**
 * Creates invalid prices, a missing stock item, and two names for one clinic; once for all
 * pictures.
 */
async function breakRecords({ page }: Stage): Promise<void> {
  const integration = await integrationNamed(page, stock, '/sync/api/');
  if (integration.deadLetters > 0) return;
  const [products, clinic] = [[randomUUID(), randomUUID()], randomUUID()];
  for (const [at, id] of products.entries())
    await editHelium(integration, 'Product', id, { name: `Zinc ${at + 1}0 mg`, sku: `SKU-9000${at}`, unitPrice: 4.2 });
  await editHelium(integration, 'Facility', clinic, { name: 'Chisamba Clinic', code: 'F9001' });
  for (const id of products) await untilInJourney(integration, 'product', id);
  await untilInJourney(integration, 'facility', clinic);
  await breakJourney(integration, [{ mode: 'refuse', path: 'batch|oplog' }]);
  await editHelium(integration, 'Facility', clinic, { name: 'Chisamba Rural Clinic' });
  await editJourney(integration, 'facility', clinic, { name: 'Chisamba Health Post' });
  await breakJourney(integration, null);
  for (const id of products) await editHelium(integration, 'Product', id, { unitPrice: 'NaN' });
  const stockItem = randomUUID();
  for (const quantity of [12, 30])
    await editJourney(integration, 'stockEvent', randomUUID(), { kind: 'Received', quantity, stockItem_id: stockItem });
}

/** Returns another photo of a device each time: a known one would not be downloaded. */
function createPhoto(): string {
  const start = Buffer.from('ffd8ffe000104a46494600010100000100010000ffda0008010100003f00', 'hex');
  return Buffer.concat([start, Buffer.from(randomUUID()), Buffer.from('ffd9', 'hex')]).toString('base64');
}

/** Takes photos with a device: one cannot be downloaded, another one is not uploaded yet. */
async function takePhotos({ page, afterwards }: Stage): Promise<void> {
  const integration = await integrationNamed(page, stock, '/sync/api/');
  await breakJourney(integration, [{ mode: 'error500', path: 'attachments' }]);
  afterwards(() => breakJourney(integration, null));
  const takePhoto = (fields: object) =>
    editJourney(integration, 'stockEvent', randomUUID(), { kind: 'Received', quantity: 12, ...fields });
  await takePhoto({ photo: { base64: createPhoto(), filename: 'delivery.jpg' } });
  await takePhoto({ photo_id: randomUUID() });
}

/** Requests codes of two health workers whom Journey refuses, each for another reason. */
async function requestCodes({ page, afterwards }: Stage): Promise<void> {
  const integration = await integrationNamed(page, 'Community Health Visits', '/sync/api/');
  const workers = [randomUUID(), randomUUID()];
  for (const id of workers) {
    await editHelium(integration, 'HealthWorker', id, { mobileNumber: '27821234567', active: true });
    await untilInJourney(integration, 'healthWorker', id);
  }
  await breakJourney(
    integration,
    workers.map((id, index) => ({ mode: 'error500', path: `${id}.*(code|token)`, status: 500 + 3 * index })),
  );
  afterwards(() => breakJourney(integration, null));
  for (const id of workers) await editHelium(integration, 'HealthWorker', id, { generateEnrollmentCode: true });
}

/** Adds warnings to the responses of one integration. Nothing is changed. */
async function warnOf(page: Page, appId: string): Promise<void> {
  const first = [
    "household.contact: Journey's model has no counterpart for this attribute. Helium requires a value, so it rejects new records from Journey.",
    "visit.answers: Helium's json cannot be synced.",
  ];
  await page.route(`**${withBase('/sync/api/', listIntegrations).path}`, async (route) => {
    const all = listIntegrations.response.parse(await (await route.fetch()).json());
    const warned = all.map((one) =>
      one.id === appId ? { ...one, rounded: 1204, mappingWarnings: { count: 2, first } } : one,
    );
    await route.fulfill({ json: warned });
  });
}

/** Shows records that differ where changes are not read. Nothing is changed. */
async function differIn(page: Page, appId: string): Promise<void> {
  const kinds = ['changed', 'missing', 'changed', 'unsynced'] as const;
  const records = kinds.map((kind, at) => ({
    table: at === 1 ? 'stockevent' : 'facility',
    id: randomUUID(),
    side: 'journey' as const,
    kind,
    foundAt: new Date(Date.now() - (at + 1) * 3_600_000).toISOString(),
  }));
  const list = { records, total: records.length } satisfies ResponseOf<typeof getDifferences>;
  await page.route(`**${withBase('/sync/api/', getDifferences).path.replace(':appId', appId)}*`, (route) =>
    route.fulfill({ json: list }),
  );
  await page.route(`**${withBase('/sync/api/', listIntegrations).path}`, async (route) => {
    const all = listIntegrations.response.parse(await (await route.fetch()).json());
    await route.fulfill({ json: all.map((one) => (one.id === appId ? { ...one, differences: records.length } : one)) });
  });
}

/** Shows records that triggers of the app refused, with PostgreSQL's words. Nothing is changed. */
async function refuseRecords({ page, afterwards }: Stage, appId: string): Promise<void> {
  const [since, lastTried] = [26, 3].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
  const refused = (no: string, one: Pick<HeldRecord, 'table' | 'kind' | 'reason' | 'helium' | 'journey'>) => ({
    no,
    direction: 'journey-to-helium',
    state: 'dead',
    id: `5f0c8c1e-0000-4000-8000-00000000000${no}`,
    missing: [],
    attempts: 3,
    since,
    lastTried,
    nextAttempt: null,
    ...one,
  });
  const records = [
    refused('1', {
      table: 'stockevent',
      kind: 'PT409',
      reason:
        'The month is closed: stock events before 2026-11-01 cannot be changed (PL/pgSQL function refuse_closed_months() line 4 at RAISE)',
      helium: { kind: 'Received', quantity: 12, notes: null },
      journey: { kind: 'Received', quantity: 30, notes: 'Counted again with the pharmacist on Friday.' },
    }),
    refused('2', {
      table: 'stockevent',
      kind: '42501',
      reason: 'permission denied for table approval_queue',
      helium: null,
      journey: { kind: 'Issued', quantity: 3, notes: null },
    }),
  ];
  const held = `**${withBase('/sync/api/', getHeldRecords).path.replace(':appId', appId)}*`;
  const list = `**${withBase('/sync/api/', listIntegrations).path}`;
  await page.route(held, (route) => route.fulfill({ json: { records, total: records.length } }));
  await page.route(list, async (route) => {
    const all = listIntegrations.response.parse(await (await route.fetch()).json());
    await route.fulfill({
      json: all.map((one) => (one.id === appId ? { ...one, health: 'Late', deadLetters: 2 } : one)),
    });
  });
  afterwards(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
}

/** Log lines of the stock integration, each about one record. */
const objectCount = 5;

/** Runs another comparison and waits until all objects are compared. */
async function compareBothSides(page: Page, appId: string): Promise<void> {
  const path = withBase('/sync/api/', getDrift).path.replace(':appId', appId);
  const pointCount = async () => getDrift.response.parse(await (await page.request.get(path)).json()).length;
  const wanted = (await pointCount()) + objectCount;
  const headers = { origin: new URL(page.url()).origin };
  await page.request.post(withBase('/sync/api/', auditDrift).path, { data: { appId }, headers });
  while ((await pointCount()) < wanted) await page.waitForTimeout(500);
}

/** The sync list and its dialogs. */
export const syncPictures: readonly Picture[] = [
  {
    name: 'sync',
    phone: true,
    async show({ page, open }) {
      await open('/sync');
      await seen(page.getByText('Halted', { exact: true }).first());
    },
  },
  {
    name: 'sync-enable-refused',
    phone: true,
    async show({ page, open }) {
      await open('/sync');
      await page.getByRole('button', { name: 'Enable Livestock Traceability' }).click();
      await answerDialog(page, 'Enable 1 integration?', 'Enable');
      await seen(page.getByRole('article', { name: 'Not enabled' }));
    },
  },
  {
    name: 'sync-info',
    phone: true,
    async show({ page, open, app }) {
      await open(`/sync?info=${app(health).id}`);
      await seen(page.getByRole('dialog').getByText('(Live)').first());
    },
  },
  {
    name: 'sync-warnings',
    phone: true,
    async show({ page, open, app }) {
      await warnOf(page, app(health).id);
      await open('/sync');
      await seen(page.getByRole('button', { name: '2 mapping warnings' }));
    },
  },
  {
    name: 'sync-info-warnings',
    phone: true,
    async show({ page, open, app }) {
      await warnOf(page, app(health).id);
      await open(`/sync?info=${app(health).id}`);
      await seen(page.getByRole('dialog').getByText('Mapping warnings'));
    },
  },
  {
    name: 'sync-objects',
    phone: true,
    async show(stage) {
      const { page, open, app } = stage;
      await open('/sync');
      const { id } = app(stock);
      await compareBothSides(page, id);
      await breakRecords(stage);
      await compareBothSides(page, id);
      await open(`/sync?objects=${id}`);
      await seen(page.getByRole('dialog').getByText('Journey', { exact: true }).first());
      await seen(page.getByRole('button', { name: /^Trend of / }).first());
    },
  },
  {
    name: 'sync-records',
    phone: true,
    async show({ page, open, app }) {
      await open(`/sync?tab=history&records=${app('Livestock').id}`);
      await seen(page.getByRole('list', { name: 'Status history' }).getByText('Halted'));
    },
  },
  {
    name: 'sync-dead-letters',
    phone: true,
    async show(stage) {
      const { page, open, app } = stage;
      await open('/sync');
      await breakRecords(stage);
      await open(`/sync?records=${app(stock).id}`);
      const letters = page.getByRole('region', { name: 'Dead letters' }).locator('tbody > tr');
      // A device may have changed the other record since, which then syncs again.
      await letters.first().getByText('Values of both sides').click();
    },
  },
  {
    name: 'sync-refused-records',
    phone: true,
    async show(stage) {
      const { page, open, app } = stage;
      const { id } = app(health);
      await refuseRecords(stage, id);
      await open(`/sync?records=${id}`);
      const letters = page.getByRole('region', { name: 'Dead letters' }).locator('tbody > tr');
      await letters.first().getByText('Values of both sides').click();
      await letters.first().scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'sync-find',
    phone: true,
    async show(stage) {
      const { page, open, app } = stage;
      await open('/sync');
      await seen(page.getByText(stock));
      await breakRecords(stage);
      await open(`/sync?records=${app(stock).id}`);
      const letters = page.getByRole('region', { name: 'Dead letters' }).locator('tbody > tr');
      const id = (await letters.first().locator('[data-label="Id"]').textContent())?.trim() ?? '';
      await open(`/sync?tab=find&records=${app(stock).id}&find=${id}`);
      await seen(page.getByRole('article').getByText('Journey now'));
    },
  },
  {
    name: 'sync-waiting-record',
    phone: true,
    async show({ page, open, app, lockRow }) {
      await open(`/sync?tab=waiting&records=${app(stock).id}`);
      await seen(page.getByRole('dialog', { name: `Records of ${stock}` }));
      const integration = await integrationNamed(page, stock, '/sync/api/');
      const id = randomUUID();
      await editHelium(integration, 'Product', id, { name: 'Zinc 20 mg', sku: 'SKU-90001', unitPrice: 4.2 });
      await untilInJourney(integration, 'product', id);
      await lockRow(app(stock), { table: 'product', id });
      await editJourney(integration, 'product', id, { unitPrice: 5.1 });
      await seen(page.getByRole('region', { name: 'Waiting' }).getByText(/stock-form/));
      await seen(page.getByRole('tab', { name: 'Waiting (1)' }));
      await page.getByRole('region', { name: 'Waiting' }).getByRole('row').nth(1).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'sync-files',
    phone: true,
    async show(stage) {
      const { page, open, app } = stage;
      await open(`/sync?tab=files&records=${app(stock).id}`);
      await seen(page.getByRole('dialog', { name: `Records of ${stock}` }));
      await takePhotos(stage);
      const files = page.getByRole('region', { name: 'Waiting files' });
      await seen(files.getByText('Not uploaded').first());
      await seen(files.getByText(/500/).first());
      await files.getByRole('row').nth(1).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'sync-enrollment',
    phone: true,
    async show(stage) {
      const { page, open, app } = stage;
      await open(`/sync?tab=enrollment&records=${app(health).id}`);
      await requestCodes(stage);
      const waiting = page.getByRole('region', { name: 'Enrollment' });
      await seen(waiting.getByText(/503/).first());
      await waiting.getByRole('row').nth(1).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'sync-try-now',
    phone: true,
    async show({ page, open, app }) {
      await open('/sync');
      await seen(page.getByText(stock).first());
      const integration = await integrationNamed(page, stock, '/sync/api/');
      await breakJourney(integration, [{ mode: 'refuse', path: 'batch|oplog' }]);
      await open(`/sync?records=${app(stock).id}`);
      await seen(page.getByRole('button', { name: 'Try now' }));
      await breakJourney(integration, null);
    },
  },
  {
    name: 'sync-health',
    phone: true,
    async show({ page, open }) {
      await open('/sync');
      await seen(page.getByText(stock).first());
      const integration = await integrationNamed(page, stock, '/sync/api/');
      await breakJourney(integration, [{ mode: 'refuse', path: 'batch|oplog' }]);
      await editHelium(integration, 'Product', randomUUID(), { name: 'Zinc 30 mg', sku: 'SKU-90009', unitPrice: 4.2 });
      await seen(page.getByRole('button', { name: /^(Waiting|Interrupted): / }).first());
      await breakJourney(integration, null);
    },
  },
  {
    name: 'sync-conflicts',
    async show(stage) {
      const { page, open, app } = stage;
      await open('/sync');
      await breakRecords(stage);
      await open(`/sync?tab=conflicts&records=${app(stock).id}`);
      await seen(page.getByRole('dialog').getByText('Chisamba Rural Clinic'));
    },
  },
  {
    name: 'sync-differences',
    phone: true,
    async show({ page, open, app }) {
      await differIn(page, app(stock).id);
      await open(`/sync?tab=differences&records=${app(stock).id}`);
      await seen(page.getByRole('region', { name: 'Differences' }).getByText('Missing in Journey'));
    },
  },
  {
    name: 'sync-maintenance',
    async show({ page, open, app }) {
      await open(`/sync?tab=maintenance&records=${app(health).id}`);
      await seen(page.getByRole('button', { name: 'Move the cursor' }));
    },
  },
  {
    name: 'sync-logs',
    phone: true,
    async show({ page, open, app }) {
      await open(`/sync/${app(health).id}`);
      await seen(page.getByRole('dialog').getByText('Following', { exact: true }));
      await seen(page.getByRole('dialog').getByText('Streaming.', { exact: true }));
      await gone(page.getByRole('dialog').getByText(/^No log records yet/));
    },
  },
  {
    name: 'sync-logs-disabled',
    async show({ page, open, app }) {
      await open(`/sync/${app('Vaccine').id}`);
      await seen(page.getByRole('dialog').getByText('The logs of a disabled integration cannot be streamed.'));
    },
  },
  {
    name: 'sync-disable-several',
    async show({ page, open }) {
      await open('/sync');
      for (const name of ['Community Health Visits', 'Stock Visibility'])
        await page.getByRole('checkbox', { name: `Select ${name}` }).check();
      await page.getByRole('button', { name: 'Disable', exact: true }).click();
      await seen(page.getByRole('dialog', { name: 'Disable 2 integrations?' }));
    },
  },
  {
    name: 'sync-delete',
    async show({ page, open }) {
      await open('/sync');
      await page.getByRole('button', { name: 'Delete Stock Visibility' }).click();
      await seen(page.getByRole('dialog', { name: 'Delete this integration?' }));
    },
  },
];
