import type { Page } from 'playwright-core';
import type { Picture } from './picture-stage.ts';
import { seen } from './user-actions.ts';

const health = 'Community Health';
const dataSourceRoute = '/dbspy?mode=datasource&source=helium-app-1';

/** Statement statistics of an app and of a data source. */
export const dbSpyPictures: readonly Picture[] = [
  {
    name: 'app-view',
    phone: true,
    async show({ page, open, app }) {
      await open(`/app/${app(health).id}`);
      await seen(page.locator('.recharts-pie-sector').first());
    },
  },
  {
    name: 'app-view-functions',
    async show({ page, open, app }) {
      await open(`/app/${app(health).id}`);
      await page.getByRole('tab', { name: 'Scheduled Function Stats' }).click();
      await seen(page.locator('tbody tr[tabindex], tbody tr td').first());
    },
  },
  {
    name: 'db-spy',
    phone: true,
    async show({ page, open }) {
      await open(`${dataSourceRoute}&metric=total_time`);
      await seen(page.locator('.recharts-pie-sector').first());
    },
  },
  {
    name: 'db-spy-bars',
    async show({ page, open }) {
      await open(`${dataSourceRoute}&metric=calls&top=10&view=bars`);
      await seen(page.getByRole('heading', { name: 'SQL of the charted queries' }));
    },
  },
  {
    name: 'db-spy-table',
    phone: true,
    async show({ page, open }) {
      await open(`${dataSourceRoute}&tab=table`);
      await seen(statementRows(page).first());
    },
  },
  {
    name: 'db-spy-query',
    async show({ page, open }) {
      await open(`${dataSourceRoute}&tab=table&sql=from+visit`);
      await statementRows(page).first().getByRole('cell').first().click();
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await seen(
        page
          .getByRole('dialog', { name: 'Query Pattern Detail' })
          .getByText(/cost=|cannot/)
          .first(),
      );
    },
  },
  {
    name: 'db-spy-reset',
    async show({ page, open }) {
      await open(dataSourceRoute);
      await page.getByRole('button', { name: 'Reset Stats' }).click();
      await seen(page.getByRole('table', { name: 'Last resets' }).getByRole('cell').first());
    },
  },
  {
    name: 'db-spy-away',
    async show({ page, open }) {
      const message = 'The data source helium-app-1 did not respond in time.';
      await page.route('**/db-spy/top-stats', (route) =>
        route.fulfill({
          status: 504,
          json: { title: 'Error getting stats!', message, requestId: 'r-4', kind: 'unreachable' },
        }),
      );
      await open(dataSourceRoute);
      await seen(page.getByText(message).first());
      await page.unroute('**/db-spy/top-stats');
    },
  },
];

function statementRows(page: Page) {
  return page.getByRole('region', { name: 'Query statistics' }).locator('tbody tr[tabindex]');
}
