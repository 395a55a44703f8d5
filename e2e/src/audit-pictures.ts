import type { Picture } from './picture-stage.ts';
import { seen } from './user-actions.ts';

/** The audit trail. */
export const auditPictures: readonly Picture[] = [
  {
    name: 'audit',
    phone: true,
    async show({ page, open }) {
      await open('/audit');
      await seen(page.getByRole('row').nth(3));
    },
  },
  {
    name: 'audit-entry',
    async show({ page, open }) {
      await open('/audit?action=config.update-entry-point');
      await page.getByRole('row').nth(1).click();
      await seen(page.getByRole('dialog'));
    },
  },
];
