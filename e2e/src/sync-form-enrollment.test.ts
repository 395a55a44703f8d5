/** Enrollment, filled in on the form of a new integration, and what becomes of it on both platforms. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { arrive, chooseOption, seen, select } from './person.ts';
import { type PlatformEnds, platformEndsOf } from './platform-ends.ts';
import { destroy, integrationOf, journeyPassword, saveAndConfirm, saveButton } from './sync-form-steps.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

const patience = { timeout: 90_000, interval: 200 };

interface Place {
  readonly environment: string;
  readonly appId: string;
  readonly ends: PlatformEnds;
}

/** Where the demonstration has an integration that has carried its users over, whose users' devices have begun to sign in. */
async function arriveAt(page: Page, environment: string, appName: string): Promise<Place> {
  const apps = await arrive(page, '/sync', { environment });
  const appId = apps.find(({ name }) => name === appName)?.id ?? '';
  await expect.poll(() => integrationOf(page, appId, environment), patience).toMatchObject({ status: 'Enabled' });
  const ends = await platformEndsOf(page, environment, appId);
  await expect
    .poll(async () => (await ends.journeyUsers()).some(({ sessions }) => sessions.length > 0), patience)
    .toBe(true);
  return { environment, appId, ends };
}

/** Deletes the integration and begins a new one of the app: the form as its template fills it, enrollment switched on. */
async function beginAnew(page: Page, { environment, appId, ends }: Place): Promise<void> {
  const dataSource = (await integrationOf(page, appId, environment))?.dataSource ?? '';
  expect(await destroy(page, appId, environment)).toBe('Deleted.');
  await page.goto(`/#/sync/form?source=${encodeURIComponent(dataSource)}&app=${appId}`);
  await seen(saveButton(page));
  await page.getByLabel('Journey base URL').fill(ends.journeyUrl);
  await page.getByLabel('Journey password').fill(journeyPassword);
  await page.getByRole('switch', { name: /^Enrollment enabled/ }).press('Space');
  await chooseOption(page, select(page, 'Update interval'), '5 minutes');
}

async function create(page: Page, { appId }: Place): Promise<void> {
  await saveAndConfirm(page, 'Create this integration?', 'Create');
  await page.waitForURL(new RegExp(`#/sync/${appId}`));
}

test('with a single device per user: a code is in the row of who asked for one, and the address to scan on both sides', async () => {
  const page = await demo.open();
  const place = await arriveAt(page, 'Production', 'Community Health Visits');
  const { ends } = place;
  // Nobody's device signs in behind the first dozen.
  const worker = (await ends.journeyUsers())[40]?.id ?? '';
  await beginAnew(page, place);
  await ends.editHelium('HealthWorker', worker, { url: null, enrollmentCode: null, generateEnrollmentCode: true });
  await page.getByLabel('Helium user object').fill('HealthWorker');
  await page.getByLabel('Journey user object').fill('healthWorker');
  await create(page, place);

  const seenIn = async () => {
    const { attributes } = await ends.inHelium('HealthWorker', worker);
    const { enrollment } = await ends.inJourney('healthWorker', worker);
    return { attributes, enrollment };
  };
  await expect
    .poll(async () => (await seenIn()).attributes, patience)
    .toMatchObject({
      generateEnrollmentCode: false,
      enrollmentCode: expect.stringMatching(/\S/),
      url: expect.stringMatching(/^https:/),
      enrolled: false,
      allowedAccess: true,
    });
  const { attributes, enrollment } = await seenIn();
  expect(enrollment).toMatchObject({ enrolled: false, url: attributes.url });
});

test('with several devices per user: the table of sessions holds what Journey tells, and nothing else', async () => {
  const page = await demo.open();
  const place = await arriveAt(page, 'Zambia-production', 'Field Extension Services');
  const { ends } = place;
  await beginAnew(page, place);
  const leftBehind = randomUUID();
  await ends.editHelium('OfficerSession', leftBehind, { label: 'of a device nobody has' });
  const sessions = (await ends.journeyUsers()).flatMap(({ id, sessions }) =>
    sessions.map((session) => ({ ...session, user: id })),
  );

  await chooseOption(page, select(page, 'Mode'), 'Multiple devices per user');
  const fill = (group: string, label: string, text: string) =>
    page.getByRole('group', { name: group, exact: true }).getByLabel(label).fill(text);
  await fill('Sessions', 'Helium session object', 'OfficerSession');
  await page.getByLabel('Helium user object').fill('Officer');
  await page.getByLabel('Journey user object').fill('officer');
  await fill('Sessions', 'Helium object foreign key field name', 'officer');
  await fill('Session containers', 'Helium session container object', 'OfficerContainer');
  await fill('Session containers', 'Session object foreign key field name', 'session');
  await create(page, place);

  await expect.poll(() => ends.heliumIds('OfficerSession'), patience).not.toContain(leftBehind);
  for (const { id, user, state, label } of sessions) {
    expect(await ends.inHelium('OfficerSession', id)).toMatchObject({
      attributes: { state, label },
      relationships: { officer: `Officer/${user}` },
    });
    expect((await ends.inHelium('Officer', user)).attributes).toMatchObject({ enrolled: true });
  }
  // In this order: devices go on signing in.
  const kept = await ends.heliumIds('OfficerSession');
  const told = (await ends.journeyUsers()).flatMap(({ sessions }) => sessions.map(({ id }) => id));
  expect(told).toEqual(expect.arrayContaining(kept));
  expect((await ends.heliumIds('OfficerContainer')).length).toBeGreaterThan(0);
});
