import type { Page } from 'playwright-core';
import type { Picture } from './picture-stage.ts';
import { demo, seen, signInByCall } from './user-actions.ts';

/** The list of sessions. */
export const sessionPictures: readonly Picture[] = [
  {
    name: 'sessions',
    phone: true,
    async show({ page, open }) {
      await open('/sessions');
      await signInElsewhere(page);
      await open('/sessions');
      await seen(page.getByRole('row').nth(2));
    },
  },
  {
    name: 'sessions-end',
    phone: true,
    async show({ page, open }) {
      await open('/sessions');
      await page
        .getByRole('button', { name: /^End the session/ })
        .first()
        .click();
      await seen(page.getByRole('dialog', { name: 'End this session?' }));
    },
  },
];

const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile Safari/604.1',
];

async function signInElsewhere(page: Page): Promise<void> {
  const baseURL = new URL(page.url()).origin;
  for (const userAgent of userAgents) {
    const context = await page.context().browser()?.newContext({ baseURL, userAgent });
    if (!context) throw new Error('the picture has no browser');
    await signInByCall(await context.newPage(), demo);
    await context.close();
  }
}
