import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launchBrowser } from './browser.ts';
import { repositoryRoot } from './checkout.ts';
import { findDemoDatabase, lockRow } from './demo-database.ts';
import { startDemoSystem } from './demo-system.ts';
import { type Line, openLine } from './network-line.ts';
import { pictures } from './picture-list.ts';
import type { Picture, Stage } from './picture-stage.ts';
import { signInByCall } from './user-actions.ts';

/**
 * `npm run pictures -- NAME …`: takes pictures of the screens of a running portal into `pictures/`,
 * which git ignores. Without names, takes all of them. Also replaces the pictures in
 * `docs/pictures` that documents show.
 */
const folder = join(repositoryRoot, 'pictures');
const documented = join(repositoryRoot, 'docs', 'pictures');
const looks: readonly { readonly name: 'light' | 'dark' | 'phone'; readonly options: BrowserContextOptions }[] = [
  { name: 'light', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } },
  { name: 'phone', options: { viewport: { width: 360, height: 740 }, colorScheme: 'light' } },
];

const wanted = process.argv.slice(2);
const isWanted = ({ name }: Picture) => wanted.length === 0 || wanted.includes(name);

/** What the current picture changed for its time only. */
const restores: (() => Promise<void>)[] = [];
const restoreAll = async () => {
  for (const restore of restores.splice(0)) await restore();
};

const demo = await startDemoSystem();
const line = await openLine({ host: '127.0.0.1', port: demo.port });
const origin = `http://127.0.0.1:${line.port}`;
const browser = await launchBrowser(findChromium());
try {
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const look of looks) {
    // The previous run may have ended with a picture without a connection.
    line.restore();
    const page = await openPage(browser, look.options);
    const stage = await setStage(page, line);
    await changeSomething(stage);
    for (const picture of pictures.filter(isWanted)) {
      if (look.name === 'phone' && !picture.phone) continue;
      const file = `${picture.name}-${look.name}.png`;
      try {
        await take(picture, stage, join(folder, file)).finally(restoreAll);
        if (existsSync(join(documented, file))) copyFileSync(join(folder, file), join(documented, file));
      } catch (error) {
        console.error(`Taking ${file} failed: ${error}`);
        process.exitCode = 1;
      }
    }
    await page.context().close();
  }
  const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
  console.log(`${sizes.length} pictures, the largest of ${Math.round(Math.max(...sizes) / 1000)} kB`);
} finally {
  await browser.close();
  await line.close();
  await demo.stop();
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const settled = {
    baseURL: origin,
    reducedMotion: 'reduce',
    timezoneId: 'Africa/Johannesburg',
    locale: 'en-GB',
  } as const;
  const context = await browser.newContext({ ...settled, ...options });
  context.setDefaultTimeout(15_000);
  return context.newPage();
}

async function setStage(page: Page, line: Line): Promise<Stage> {
  const apps = await signInByCall(page);
  const environments = await (await page.request.get('/portal-backend/api/environments')).json();
  const platform: string = environments.find(({ name }: { name: string }) => name === 'Production').baseUrl;
  const setFaults = (faults: unknown) => page.request.put(`${platform}/simulator/faults`, { data: faults });
  return {
    page,
    line,
    apps,
    async send(call, payload) {
      const response = await page.request.post(`/portal-backend/api/${call}`, { data: payload, headers: { origin } });
      const text = await response.text();
      if (!response.ok()) throw new Error(`${call} returned ${response.status()} ${text}`);
      return response.headers()['content-type']?.includes('json') ? JSON.parse(text) : text;
    },
    app(name) {
      const app = apps.find((one) => one.name.startsWith(name));
      if (!app) throw new Error(`the demonstration has no app ${name}, but ${apps.map((one) => one.name)}`);
      return app;
    },
    async open(route) {
      line.restore();
      await setFaults([]);
      const session = await page.request.get('/portal-backend/api/session');
      if (!session.ok()) await signInByCall(page);
      // Starts from a blank page, so that nothing of the previous picture remains.
      await page.goto('about:blank');
      await page.goto(`/#${route}`);
      await page.locator('#main').waitFor();
    },
    async signOut() {
      line.restore();
      await setFaults([]);
      await page.context().clearCookies();
      await page.goto('about:blank');
      await page.goto('/');
    },
    async breakPlatform(path, mode) {
      await setFaults([{ path, mode }]);
    },
    async lockRow(app, row) {
      restores.push(await lockRow(await findDemoDatabase(demo.stateDir, 'Production', app.name), row));
    },
    afterwards(restore) {
      restores.push(restore);
    },
    async log(app, lines) {
      await page.request.post(`${platform}/simulator/log/${app.id}`, { data: { lines } });
    },
  };
}

async function take(picture: Picture, stage: Stage, path: string): Promise<void> {
  const { page } = stage;
  await picture.show(stage);
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  console.log(path.slice(repositoryRoot.length));
}

/** Adds data to an unused portal: sets timeouts of an app, and changes others back and forth. */
async function changeSomething({ app, send }: Stage): Promise<void> {
  const config = (call: string, payload: object) => send(`config/${call}`, payload);
  const appId = app('Community Health').id;
  for (const [entryPoint, duration] of [
    ['Statistics:workload', 15],
    ['Nightly:archiveReminders', 60],
    ['Nightly:closeOldVisits', 15],
    ['processViewResponse:VisitDashboard', 10],
  ] as const) {
    await config('add-entry-point', { appId, entryPoint, duration });
  }
  await config('set-max-db-results', { appId: app('Stock').id, maxDatabaseResults: 5000 });
  await config('lock-app', { appId: app('Farmer').id, locked: true });
  await config('lock-app', { appId: app('Farmer').id, locked: false });
  const entryPoint = 'Nightly:closeOldVisits';
  await config('update-entry-point', { appId, oldEntryPoint: entryPoint, entryPoint, duration: 20 });
}
