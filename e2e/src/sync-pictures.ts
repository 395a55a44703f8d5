import { seen } from './person.ts';
import type { Picture } from './picture-stage.ts';

const health = 'Community Health';

/** The sync list and what opens over it. */
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
    name: 'sync-info',
    phone: true,
    async show({ page, open, app }) {
      await open(`/sync?info=${app(health).id}`);
      await seen(page.getByRole('dialog').getByText('Last Journey version processed (op-log)'));
    },
  },
  {
    name: 'sync-objects',
    phone: true,
    async show({ page, open, app }) {
      await open(`/sync?objects=${app(health).id}`);
      await seen(page.getByRole('dialog').getByText('Journey', { exact: true }).first());
    },
  },
  {
    name: 'sync-records',
    phone: true,
    async show({ page, open, app }) {
      await open(`/sync?tab=history&records=${app('Livestock').id}`);
      await seen(page.getByRole('list', { name: 'Status history' }).getByRole('listitem').first());
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
      await page.getByRole('button', { name: 'Disable' }).click();
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
