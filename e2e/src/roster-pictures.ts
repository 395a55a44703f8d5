import type { Picture } from './picture-stage.ts';
import { seen } from './user-actions.ts';

/** The support roster and the developer client. */
export const rosterPictures: readonly Picture[] = [
  {
    name: 'roster',
    phone: true,
    async show({ page, open }) {
      await open('/support-roster/Health');
      await seen(page.getByRole('region', { name: 'Team members' }).getByText('On call now'));
    },
  },
  {
    name: 'roster-none-chosen',
    async show({ page, open }) {
      await open('/support-roster');
      await seen(page.getByRole('region', { name: 'On call now' }).locator('tbody tr').first());
    },
  },
  {
    name: 'roster-shifts',
    async show({ page, open }) {
      await open('/support-roster/Platform');
      const shifts = page.getByRole('region', { name: 'Shifts', exact: true });
      await seen(shifts.locator('tbody tr').first());
      await shifts.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'roster-import',
    async show({ page, open }) {
      await open('/support-roster/Platform');
      await page.getByRole('button', { name: 'Import CSV' }).click();
      const lines = ['Thabo Mokoena,+27 82 555 0142,2026-12-07 08:00,2026-12-14 08:00', ',,2026-12-14 08:00,soon'];
      await page.getByLabel('CSV', { exact: true }).fill(['name,number,start,end', ...lines].join('\n'));
      await seen(page.getByText('Line 3: Please enter a name.'));
    },
  },
  {
    name: 'dev-client',
    phone: true,
    async show({ page, open }) {
      await open('/helium-dev-latest');
      await seen(page.getByText('Install command'));
    },
  },
];
