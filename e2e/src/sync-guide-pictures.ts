import type { Picture } from './picture-stage.ts';
import { seen } from './user-actions.ts';

const firstEditor = '.cm-content';

/** What can be synced, as text and in both languages. */
export const syncGuidePictures: readonly Picture[] = [
  {
    name: 'sync-guide',
    phone: true,
    async show({ page, open }) {
      await open('/sync-guide');
      await seen(page.locator(firstEditor).first());
    },
  },
  {
    name: 'sync-guide-known-limits',
    phone: true,
    async show({ page, open }) {
      await open('/sync-guide?section=known-limits');
      await seen(page.locator('h2:focus').filter({ hasText: 'Known limits' }));
    },
  },
  ...(['relationships', 'single-device', 'multiple-devices'] as const).map(
    (tab) =>
      ({
        name: `sync-guide-${tab}`,
        phone: true as const,
        async show({ page, open }) {
          await open(`/sync-guide?tab=${tab}`);
          await seen(page.locator(firstEditor).first());
        },
      }) satisfies Picture,
  ),
];
