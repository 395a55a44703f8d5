import { type App, getApps } from '@portal/contract/apps';
import { getScheduledFunctionResults } from '@portal/contract/scheduled-functions';
import { formatSkippedEntries, skippedEntriesHeader } from '@portal/contract/skipped-entries';
import type { Picture, Stage } from './picture-stage.ts';
import { chooseOption, seen, select } from './user-actions.ts';

const health = 'Community Health';

/** The apps list, and an app's configuration and functions. */
export const appPictures: readonly Picture[] = [
  {
    name: 'apps',
    phone: true,
    async show({ page, open }) {
      await open('/apps');
      await seen(page.getByText(/apps found from/));
    },
  },
  {
    name: 'apps-nothing-found',
    async show({ page, open }) {
      await open('/apps?q=warehouse');
      await seen(page.getByText(/No matches for/));
    },
  },
  {
    name: 'apps-skipped',
    phone: true,
    async show({ page, open, afterwards }) {
      const pattern = `**${getApps.path}`;
      await page.route(pattern, async (route) => {
        const response = await route.fetch();
        const skipped = formatSkippedEntries(['entry 3: schemaName: missing', 'entry 7: not an object']);
        await route.fulfill({ response, headers: { ...response.headers(), [skippedEntriesHeader]: skipped } });
      });
      afterwards(() => page.unroute(pattern));
      await open('/apps');
      await page.getByText('2 entries of the platform could not be read').click();
    },
  },
  {
    name: 'config',
    phone: true,
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await seen(page.getByRole('row').nth(2));
    },
  },
  {
    name: 'config-new-entry-point',
    phone: true,
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await page.getByRole('button', { name: 'New entry-point' }).click();
      const modal = page.getByRole('dialog', { name: 'New entry-point' });
      await select(modal, 'Entry point').fill('closeOldVisits');
      await modal.getByRole('button', { name: 'Save' }).click();
      await seen(modal.getByText('Please enter Entry Point Scope Name'));
    },
  },
  {
    name: 'config-remove',
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await page
        .getByRole('button', { name: /^Remove / })
        .first()
        .click();
      await seen(page.getByText('This action cannot be undone.'));
    },
  },
  {
    name: 'config-lock',
    async show({ page, open, app }) {
      await open(`/config/${app(health).id}`);
      await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
      await seen(page.getByRole('dialog', { name: 'Lock this app?' }));
    },
  },
  {
    name: 'config-change-failed',
    async show({ page, open, app, breakPlatform }) {
      await open(`/config/${app(health).id}`);
      await seen(select(page, 'Locked or unlocked'));
      await breakPlatform('app-config', 'error500');
      await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
      await page.getByRole('dialog').getByRole('button', { name: 'Lock app' }).click();
      await seen(page.getByRole('alert').first());
      await page.keyboard.press('Escape');
    },
  },
  {
    name: 'config-loading',
    async show({ page, open, app, breakPlatform }) {
      await open('/');
      await breakPlatform('app-config', 'hang');
      await page.goto(`/#/config/${app(health).id}`);
      await seen(page.getByRole('tab', { name: 'Timeouts' }));
    },
  },
  {
    name: 'config-not-loaded',
    async show({ page, open, app, breakPlatform }) {
      await open('/');
      await breakPlatform('app-config', 'error500');
      await page.goto(`/#/config/${app('Vaccine').id}`);
      await seen(page.getByRole('button', { name: 'Try again' }));
    },
  },
  {
    name: 'config-empty',
    async show({ page, open, app }) {
      await open(`/config/${app('Livestock').id}`);
      await seen(page.getByText('No entry point timeouts are set for this app.'));
    },
  },
  {
    name: 'functions',
    phone: true,
    async show({ page, open, app }) {
      await open(`/scheduledfunctions/${app(health).id}`);
      await seen(page.getByText('OK').first());
    },
  },
  {
    name: 'functions-failure',
    async show(stage) {
      const { page, open } = stage;
      await open(`/scheduledfunctions/${(await waitForFailure(stage)).id}`);
      await page
        .getByRole('button', { name: /^Failed/ })
        .first()
        .click();
      await seen(page.getByRole('dialog'));
    },
  },
  {
    name: 'functions-partial',
    async show({ page, open, app }) {
      await page.route('**/debug/scheduled-function', (route) => route.fulfill({ status: 502, body: '' }));
      await open(`/scheduledfunctions/${app(health).id}`);
      await seen(page.getByText(/Error getting scheduled-function stats!/));
      await page.unroute('**/debug/scheduled-function');
    },
  },
];

/** Waits for an app with a function whose last run failed. Many run every minute, and some fail. */
async function waitForFailure({ apps, send, page }: Stage): Promise<App> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    for (const app of apps) {
      const results = getScheduledFunctionResults.response.parse(
        await send('debug/scheduled-function', { uuid: app.id }),
      );
      // The results are newest first, so the first result of each name is its last run.
      const last = new Map(results.toReversed().map((result) => [result.qualifiedName, result]));
      if ([...last.values()].some(({ exception }) => exception !== null)) return app;
    }
    await page.waitForTimeout(5_000);
  }
  throw new Error('No function failed within five minutes.');
}
