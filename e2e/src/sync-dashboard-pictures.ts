import { getSyncBase, withBase } from '@portal/contract/sync/base';
import { listIntegrations } from '@portal/contract/sync/integration';
import type { Picture, Stage } from './picture-stage.ts';
import { seen } from './user-actions.ts';

const morning = 'Morning round';

/** Dashboards of integrations. */
export const syncDashboardPictures: readonly Picture[] = [
  {
    name: 'sync-dashboards',
    phone: true,
    async show(stage) {
      await withDashboard(stage);
      await stage.open('/sync-dashboard');
      await seen(stage.page.getByRole('button', { name: `View ${morning}` }));
    },
  },
  {
    name: 'sync-dashboards-picker',
    phone: true,
    async show(stage) {
      const { page, open } = stage;
      await withDashboard(stage);
      await open('/sync-dashboard');
      await page.getByRole('button', { name: `Update ${morning}` }).click();
      await page.getByRole('button', { name: 'Repick Apps' }).click();
      await seen(page.getByRole('dialog').getByRole('checkbox').nth(1));
    },
  },
  {
    name: 'sync-dashboard',
    phone: true,
    async show(stage) {
      await withDashboard(stage);
      await stage.open(`/sync-dashboard/${encodeURIComponent(morning)}`);
      await seen(stage.page.getByRole('region').getByText('Halted', { exact: true }));
    },
  },
  {
    name: 'sync-dashboard-stale',
    async show(stage) {
      const { page, open, line } = stage;
      await withDashboard(stage);
      await open(`/sync-dashboard/${encodeURIComponent(morning)}`);
      await seen(page.getByRole('region').getByText('Halted', { exact: true }));
      line.down();
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      await seen(page.getByText(/Showing the data from the last successful load/).first());
    },
  },
  {
    name: 'sync-dashboard-unknown',
    async show({ page, open }) {
      await open('/sync-dashboard/Nowhere');
      await seen(page.getByRole('link', { name: 'All dashboards' }));
    },
  },
  {
    name: 'sync-dashboard-wallboard',
    phone: true,
    async show(stage) {
      await withDashboard(stage);
      await stage.open(`/sync-dashboard/${encodeURIComponent(morning)}?view=wallboard`);
      await seen(stage.page.getByRole('dialog').getByText('Halted', { exact: true }));
    },
  },
];

/** A dashboard of all demo integrations. */
async function withDashboard({ page, open, send }: Stage): Promise<void> {
  await open('/sync-dashboard');
  const { origin } = new URL(page.url());
  const path = withBase(getSyncBase('Production'), listIntegrations).path;
  const answer = await page.request.post(path, { data: {}, headers: { origin } });
  const integrations = listIntegrations.response.parse(await answer.json());
  await send('sync-dashboard/', { name: morning, appIds: integrations.map(({ id }) => id) });
}
