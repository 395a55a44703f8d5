import { expect } from 'vitest';
import { openMeasuredPage, scriptBytes, type Transfer } from './measured-page.ts';
import { test } from './test.ts';
import { demo, fillSignIn, seen } from './user-actions.ts';

/** Over the wire with brotli, including headers. */
const limits = { signIn: 80_000, appsList: 155_000, requests: 14 };

test('the page loads few and small scripts until a user signs in and sees the apps', async ({ browser, portal }) => {
  const { page, transfers } = await openMeasuredPage(browser, portal.origin);
  await page.goto('/#/apps');
  await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
  await page.waitForLoadState('networkidle');
  const signIn = [...transfers];
  await fillSignIn(page, demo);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await seen(page.getByRole('link', { name: 'View of Stock Room' }));
  await page.waitForLoadState('networkidle');
  const appsList = [...transfers];
  await page.context().close();
  expect(scriptBytes(signIn), list(signIn)).toBeLessThanOrEqual(limits.signIn);
  expect(scriptBytes(appsList), list(appsList)).toBeLessThanOrEqual(limits.appsList);
  expect(appsList.length, list(appsList)).toBeLessThanOrEqual(limits.requests);
});

function list(transfers: readonly Transfer[]): string {
  return transfers.map(({ name, bytes }) => `${bytes} ${name}`).join('\n');
}
