import type { Picture } from './picture-stage.ts';

/** The doctor. */
export const doctorPictures: readonly Picture[] = [
  {
    name: 'doctor',
    phone: true,
    async show({ page, open }) {
      await open('/doctor');
      await page.getByRole('button', { name: 'Examine' }).click();
      await page.getByRole('heading', { name: 'List of apps' }).click();
    },
  },
];
