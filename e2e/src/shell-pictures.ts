import type { Picture } from './picture-stage.ts';
import { demo, fillSignIn, seen } from './user-actions.ts';

const health = 'Community Health';

/** The sign-in, home, the menu, and error pages. */
export const shellPictures: readonly Picture[] = [
  {
    name: 'sign-in',
    phone: true,
    async show({ page, signOut }) {
      await signOut();
      await seen(page.getByText('Use your Helium API credentials'));
    },
  },
  {
    name: 'sign-in-error',
    async show({ page, signOut }) {
      await signOut();
      await fillSignIn(page, { ...demo, password: 'guess' });
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await seen(page.getByText('Either the username or password is incorrect'));
    },
  },
  {
    name: 'home',
    phone: true,
    async show({ page, open }) {
      await open('/');
      for (const part of ['Needs attention', 'On call now', 'Recent changes'])
        await seen(page.getByRole('region', { name: part }).getByRole('listitem').first());
    },
  },
  {
    name: 'menu',
    phone: true,
    async show({ page, open }) {
      await open('/');
      await page.getByRole('button', { name: 'Menu' }).click();
      await seen(page.getByRole('dialog').getByText('Audit'));
    },
  },
  {
    name: 'palette',
    async show({ page, open }) {
      await open('/apps');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('stock');
    },
  },
  {
    name: 'keys',
    async show({ page, open }) {
      await open('/apps');
      await page.keyboard.press('?');
      await seen(page.getByRole('dialog', { name: 'Keyboard shortcuts' }));
    },
  },
  {
    name: 'sign-out',
    async show({ page, open }) {
      await open('/');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await seen(page.getByRole('dialog', { name: 'Going so soon?' }));
    },
  },
  {
    name: 'connection-lost',
    async show({ page, open, app, line }) {
      await open(`/scheduledfunctions/${app(health).id}`);
      await seen(page.getByText('OK').first());
      line.down();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await seen(page.getByText(/^Connection to the portal lost/));
    },
  },
  {
    name: 'app-not-found',
    async show({ page, open }) {
      await open('/config/7d5c2f0e-0000-4000-8000-000000000000');
      await seen(page.getByText('App not found'));
    },
  },
];
