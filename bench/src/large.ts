import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '@portal/contract/apps';
import { getTeamNames, migrateApp, planAccess, planRevert, revertAccess } from '@portal/contract/schema-access';
import { getSyncObjects } from '@portal/contract/sync/objects';
import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { type DemoSystem, startDemoSystem } from '@portal/e2e/demo-system';
import { openMeasuredPage } from '@portal/e2e/measured-page';
import { createPlatformClients, type PlatformClients } from '@portal/e2e/platform-clients';
import { fetchConfig, fetchIntegration } from '@portal/e2e/sync-form-steps';
import { demo, seen, signInByCall } from '@portal/e2e/user-actions';
import type { Browser, Page } from 'playwright-core';
import { count, type Figure, median, printFigures } from './figures.ts';

/**
 * `npm run bench -- large [ROUNDS]`: the system of `npm start` with an app of the size of a large
 * real one: its log, the access to its schema, its Sync Objects, and its sync in both directions.
 */
const rounds = Number(process.argv[2] ?? 7);
const environment = 'Staging';
const appName = 'National Programme';
/** More often, and Journey limits the rate of the engine's calls too. */
const journeyPollMs = 200;

/** How often the app's own work and a call blocked each other, so that the call was repeated. */
let deadlocks = 0;

process.env.PORTAL_DEMO_SIZE = 'large-app';
const startedMs = performance.now();
const system = await startDemoSystem();
const browser = await launchBrowser(findChromium());
try {
  const figures = [
    { what: 'first start, all demo apps created', ours: seconds(performance.now() - startedMs) },
    ...(await measureAll(browser, system)),
  ];
  printFigures(`large: medians of ${rounds} rounds`, figures);
} finally {
  await browser.close();
  await system.stop();
}

async function measureAll(browser: Browser, { port }: DemoSystem): Promise<Figure[]> {
  const origin = `http://127.0.0.1:${port}`;
  const { page } = await openMeasuredPage(browser, origin);
  await page.goto('/');
  const apps = await signInByCall(page, demo, environment);
  const app = apps.find(({ name }) => name === appName);
  if (!app) throw new Error(`${environment} has no app ${appName}.`);
  await repeat(async () => (await fetchIntegration(page, app.id, environment))?.journeySyncStatus === 'Live');
  const live = performance.now() - startedMs;
  const figures = [
    { what: 'from the first start until its integration is live', ours: seconds(live) },
    await measureLog(browser, origin, app),
    ...(await measureAccess(page, app)),
    await measureSyncObjects(page, app),
    ...(await measureSync(await createPlatformClients(page, environment, app.id))),
  ];
  return figures;
}

async function measureLog(browser: Browser, origin: string, app: App): Promise<Figure> {
  const times: number[] = [];
  // The first round warms up the server.
  for (let round = 0; round <= rounds; round += 1) {
    const { page } = await openMeasuredPage(browser, origin);
    await page.goto('/');
    const from = performance.now();
    await signInByCall(page, demo, environment);
    await page.goto(`/#/logs/${app.id}`);
    await page.reload();
    await seen(page.getByRole('status', { name: 'Log records' }).filter({ hasText: /^[1-9]/ }));
    if (round > 0) times.push(performance.now() - from);
    await page.context().close();
  }
  return { what: 'from sign-in to the first log line on the page', ours: milliseconds(median(times)) };
}

async function measureAccess(page: Page, app: App): Promise<Figure[]> {
  const [teamUser = ''] = getTeamNames.response.parse(await call(page, getTeamNames.path, {}));
  const [plans, grants, reverts]: [number[], number[], number[]] = [[], [], []];
  let actions = 0;
  for (let round = 0; round < rounds; round += 1) {
    const request = { teamUser, appId: app.id };
    const plan = await timed(plans, async () => planAccess.response.parse(await call(page, planAccess.path, request)));
    actions = plan.actions.length;
    const granted = await timed(grants, () =>
      call(page, migrateApp.path, { ...request, reason: 'bench', expected: plan.fingerprint }),
    );
    const { grantId = '' } = migrateApp.response.parse(granted);
    const revert = planRevert.response.parse(await call(page, planRevert.path, { grantId }));
    await timed(reverts, () => call(page, revertAccess.path, { grantId, expected: revert.fingerprint }));
  }
  return [
    { what: `Schema Access, plan with its dry run (${count(actions)} statements)`, ours: milliseconds(median(plans)) },
    { what: 'Schema Access, grant', ours: milliseconds(median(grants)) },
    { what: 'Schema Access, revert', ours: milliseconds(median(reverts)) },
    { what: 'calls repeated after a deadlock with the running app', ours: count(deadlocks) },
  ];
}

async function measureSyncObjects(page: Page, app: App): Promise<Figure> {
  const { helium, journey } = await fetchConfig(page, app.id, environment);
  const request = { heliumUrl: helium.baseUrl, journeyUrl: journey.baseUrl, appId: app.id };
  const times: number[] = [];
  let objects = 0;
  for (let round = 0; round < rounds; round += 1) {
    const answer = await timed(times, () => call(page, getSyncObjects.path, request));
    objects = getSyncObjects.response.parse(answer).length;
  }
  return { what: `Sync Objects (${count(objects)} objects of both sides)`, ours: milliseconds(median(times)) };
}

async function measureSync(clients: PlatformClients): Promise<Figure[]> {
  const [toJourney, toHelium]: [number[], number[]] = [[], []];
  const values = { name: 'Bench', code: 'C1', deleted: 'No', comment: 'created' };
  for (let round = 0; round < rounds; round += 1) {
    const id = randomUUID();
    await timed(toJourney, async () => {
      await clients.editHelium('Visit02', id, values);
      await repeat(() => clients.inJourney('visit02', id).then(Boolean, () => false), journeyPollMs);
    });
    await timed(toHelium, async () => {
      await clients.editJourney('visit02', id, { comment: 'edited' });
      await repeat(async () => (await clients.inHelium('Visit02', id)).attributes.comment === 'edited');
    });
  }
  return [
    { what: 'a new record, Helium → Journey', ours: milliseconds(median(toJourney)) },
    { what: 'an edit, Journey → Helium', ours: milliseconds(median(toHelium)) },
  ];
}

async function call(page: Page, path: string, data: object): Promise<unknown> {
  const response = await page.request.post(path, { data, headers: { origin: new URL(page.url()).origin } });
  if (response.ok()) return response.json();
  const text = await response.text();
  if (!/blocked each other/.test(text)) throw new Error(`${path}: ${response.status()} ${text.slice(0, 500)}`);
  deadlocks += 1;
  return call(page, path, data);
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  times.push(performance.now() - from);
  return result;
}

async function repeat(isDone: () => Promise<boolean>, pollMs = 20): Promise<void> {
  const endMs = performance.now() + 300_000;
  while (!(await isDone())) {
    if (performance.now() > endMs) throw new Error('It did not happen within five minutes.');
    await pause(pollMs);
  }
}

function milliseconds(ms: number): string {
  return `${count(ms)} ms`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
