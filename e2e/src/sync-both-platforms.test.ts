// @module-tag long

/**
 * Verifies the result on both platforms, in the system that `npm start` starts: a record created on
 * either side, concurrent edits, a Journey outage, a record that waits for its parent; and
 * enrollment, configured in the form of a new integration.
 */
import { randomUUID } from 'node:crypto';
import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { arriveAtLive, type LiveIntegration } from './live-integration.ts';
import { destroy, fetchIntegration, journeyPassword, saveAndConfirm, saveButton } from './sync-form-steps.ts';
import { stopDeviceEdits } from './sync-screen.ts';
import { chooseOption, seen, select } from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

const pollOptions = { interval: 200 };

describe('records on both platforms', () => {
  const arriveAtVouchers = async () => {
    const place = await arriveAtLive(await demo.open(), 'Staging', 'Farmer Input Vouchers');
    await stopDeviceEdits(place.clients.journeyUrl);
    return place;
  };

  /** Returns both sides' values of a dealer; undefined if it does not exist. */
  const readDealer = async ({ clients }: LiveIntegration, id: string) => ({
    helium: await clients.inHelium('AgroDealer', id).then(
      ({ attributes }) => attributes,
      () => undefined,
    ),
    journey: await clients.inJourney('agroDealer', id).catch(() => undefined),
  });

  test('syncs a record created on one side, and merges concurrent edits of both', { tags: 'short' }, async () => {
    const place = await arriveAtVouchers();
    const { clients } = place;
    const [here, there] = [randomUUID(), randomUUID()];
    await clients.editHelium('AgroDealer', here, { name: 'Kabwe Farm Store', province: 'Central', approved: true });
    await clients.createInJourney('agroDealer', there, { name: 'Mongu Co-op', province: 'Western', approved: false });
    await expect
      .poll(() => readDealer(place, here), pollOptions)
      .toMatchObject({ journey: { name: 'Kabwe Farm Store', approved: { key: true } } });
    await expect
      .poll(() => readDealer(place, there), pollOptions)
      .toMatchObject({ helium: { name: 'Mongu Co-op', approved: false } });
    await Promise.all([
      clients.editHelium('AgroDealer', here, { name: 'Kabwe Agro Supplies' }),
      clients.editJourney('agroDealer', here, { province: 'Lusaka' }),
    ]);
    const both = { name: 'Kabwe Agro Supplies', province: 'Lusaka' };
    await expect.poll(() => readDealer(place, here), pollOptions).toMatchObject({ helium: both, journey: both });
  });

  test('loses nothing while Journey is unreachable, and holds a voucher until its farmer arrives', async () => {
    const place = await arriveAtVouchers();
    const { clients } = place;
    const [dealer, farmer, voucher] = [randomUUID(), randomUUID(), randomUUID()];
    await clients.editHelium('AgroDealer', dealer, { name: 'Choma Co-op' });
    await expect.poll(() => readDealer(place, dealer), pollOptions).toMatchObject({ journey: { name: 'Choma Co-op' } });

    await clients.breakJourney([{ mode: 'refuse', path: 'batch|oplog' }]);
    await clients.editHelium('AgroDealer', dealer, { province: 'Southern' });
    // Its farmer exists on neither side yet, which Journey accepts and Helium rejects.
    await clients.createInJourney('voucher', voucher, { code: 'EV00000042', farmer_id: farmer });
    await clients.breakJourney(null);
    await expect
      .poll(() => readDealer(place, dealer), pollOptions)
      .toMatchObject({ journey: { province: 'Southern' } });
    await expect(clients.inHelium('Voucher', voucher)).rejects.toThrow('404');

    await clients.editHelium('Farmer', farmer, { nationalId: 'NRC00000042' });
    const code = () => clients.inHelium('Voucher', voucher).then(({ attributes }) => attributes.code, String);
    await expect.poll(code, pollOptions).toBe('EV00000042');
    // The two directions do not wait for each other: the voucher may arrive before the farmer does.
    const nationalId = () => clients.inJourney('farmer', farmer).then((one) => one.nationalId, String);
    await expect.poll(nationalId, pollOptions).toBe('NRC00000042');
  });
});

/** Opens the integration that has synced its users, whose devices have started to sign in. */
async function arriveAmongUsers(page: Page, environment: string, appName: string): Promise<LiveIntegration> {
  const place = await arriveAtLive(page, environment, appName);
  const { clients } = place;
  await expect
    .poll(async () => (await clients.journeyUsers()).some(({ sessions }) => sessions.length > 0), pollOptions)
    .toBe(true);
  return place;
}

/**
 * Deletes the integration and creates a new one for the app: the form with its template values, and
 * enrollment enabled.
 */
async function recreateIntegration(page: Page, { environment, appId, clients }: LiveIntegration): Promise<void> {
  const dataSource = (await fetchIntegration(page, appId, environment))?.dataSource ?? '';
  expect(await destroy(page, appId, environment)).toBe('Deleted.');
  await page.goto(`/#/sync/form?source=${encodeURIComponent(dataSource)}&app=${appId}`);
  await seen(saveButton(page));
  await page.getByLabel('Journey base URL').fill(clients.journeyUrl);
  await page.getByLabel('Journey password').fill(journeyPassword);
  await page.getByRole('switch', { name: /^Enrollment enabled/ }).press('Space');
  await chooseOption(page, select(page, 'Update interval'), '5 minutes');
}

async function create(page: Page, { appId }: LiveIntegration): Promise<void> {
  await saveAndConfirm(page, 'Create this integration?', 'Create');
  await page.waitForURL(new RegExp(`#/sync/${appId}`));
}

test("enrolls a single device per user: the requested code is in the user's row, the address to scan on both sides", async () => {
  const page = await demo.open();
  const place = await arriveAmongUsers(page, 'Production', 'Community Health Visits');
  const { clients } = place;
  // Only the devices of the first dozen users sign in.
  const worker = (await clients.journeyUsers())[40]?.id ?? '';
  await recreateIntegration(page, place);
  await clients.editHelium('HealthWorker', worker, { url: null, enrollmentCode: null, generateEnrollmentCode: true });
  await page.getByLabel('Helium user object').fill('HealthWorker');
  await page.getByLabel('Journey user object').fill('healthWorker');
  await create(page, place);

  const readAttributes = () => clients.inHelium('HealthWorker', worker).then(({ attributes }) => attributes);
  await expect
    .poll(readAttributes, pollOptions)
    .toMatchObject({ generateEnrollmentCode: false, enrollmentCode: expect.stringMatching(/\S/), allowedAccess: true });
  const { enrollment } = await clients.inJourney('healthWorker', worker);
  const { enrolled, url } = JourneyEnrollment.parse(enrollment);
  expect([enrolled, url]).toEqual([false, expect.stringMatching(/^https:/)]);
  await expect.poll(readAttributes, pollOptions).toMatchObject({ enrolled, url });
});

test('enrolls several devices per user: the session table matches Journey exactly', async () => {
  const page = await demo.open();
  const place = await arriveAmongUsers(page, 'Zambia-production', 'Field Extension Services');
  const { clients } = place;
  await recreateIntegration(page, place);
  const orphanId = randomUUID();
  await clients.editHelium('OfficerSession', orphanId, { label: 'of an unknown device' });
  const sessions = (await clients.journeyUsers()).flatMap(({ id, sessions }) =>
    sessions.map((session) => ({ ...session, user: id })),
  );

  await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
  const fill = (group: string, label: string, text: string) =>
    page.getByRole('group', { name: group, exact: true }).getByLabel(label).fill(text);
  await fill('Sessions', 'Helium session object', 'OfficerSession');
  await page.getByLabel('Helium user object').fill('Officer');
  await page.getByLabel('Journey user object').fill('officer');
  await fill('Sessions', 'Helium object foreign key field name', 'officer');
  await fill('Session containers (optional)', 'Helium session container object', 'OfficerContainer');
  await fill('Session containers (optional)', 'Session object foreign key field name', 'session');
  await create(page, place);

  await expect.poll(() => clients.heliumIds('OfficerSession'), pollOptions).not.toContain(orphanId);
  for (const { id, user, state, label } of sessions) {
    await expect
      .poll(() => clients.inHelium('OfficerSession', id).catch(String), pollOptions)
      .toMatchObject({ attributes: { state, label }, relationships: { officer: `Officer/${user}` } });
    await expect
      .poll(() => clients.inHelium('Officer', user), pollOptions)
      .toMatchObject({ attributes: { enrolled: true } });
  }
  // The order matters, because devices keep signing in.
  const heliumSessionIds = await clients.heliumIds('OfficerSession');
  const journeySessionIds = (await clients.journeyUsers()).flatMap(({ sessions }) => sessions.map(({ id }) => id));
  expect(journeySessionIds).toEqual(expect.arrayContaining(heliumSessionIds));
  await expect.poll(() => clients.heliumIds('OfficerContainer'), pollOptions).not.toEqual([]);
});
