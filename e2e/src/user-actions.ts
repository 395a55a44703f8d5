import type { App } from '@portal/contract/apps';
import type { Locator, Page } from 'playwright-core';

/** A user of the simulated platform. */
export interface Credentials {
  readonly userName: string;
  readonly password: string;
}

export const demo: Credentials = { userName: 'demo', password: 'demo' };

/**
 * Signs in through the API, which is faster than the form, opens the route and waits until the
 * shell is visible.
 */
export async function arrive(
  page: Page,
  route: string,
  { who = demo, environment = 'Production' }: { readonly who?: Credentials; readonly environment?: string } = {},
): Promise<App[]> {
  const apps = await signInByCall(page, who, environment);
  await openRoute(page, route);
  return apps;
}

/**
 * Opens the route in a session that the page may not know yet, and waits until the shell is
 * visible.
 */
export async function openRoute(page: Page, route: string): Promise<void> {
  const wasOpen = page.url() !== 'about:blank';
  await page.goto(`/#${route}`);
  // A new hash alone does not reload the page, which would not know the new session.
  if (wasOpen) await page.reload();
  await seen(page.locator('#main'));
}

export async function signInByCall(page: Page, who = demo, environment = 'Production'): Promise<App[]> {
  const environments = await (await page.request.get('/portal-backend/api/environments')).json();
  const { baseUrl } = environments.find(({ name }: { name: string }) => name === environment);
  const response = await page.request.post('/portal-backend/api/apps', { data: { credentials: who, baseUrl } });
  if (!response.ok()) throw new Error(`sign-in returned ${response.status()}: ${await response.text()}`);
  return response.json();
}

/** Fills in the sign-in form without submitting it. */
export async function fillSignIn(page: Page, who: Credentials, environment = 'Production'): Promise<void> {
  await chooseOption(page, page.getByPlaceholder('Please select an environment'), environment);
  await page.getByLabel('Username').fill(who.userName);
  await page.getByLabel('Password').fill(who.password);
}

/** Finds a select by its label. Its list of options has the same name. */
export function select(where: Page | Locator, label: string): Locator {
  return where.getByRole('combobox', { name: label });
}

/** Selects the option that starts with this text in the given select. */
export async function chooseOption(page: Page, field: Locator, option: string): Promise<void> {
  await field.click();
  await page
    .getByRole('option')
    .filter({ hasText: new RegExp(`^${option}`) })
    .first()
    .click();
}

/** Closes the dialog with this title by one of its buttons, and waits until it is hidden. */
export async function answerDialog(page: Page, title: string, button: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await gone(dialog);
}

/**
 * Waits until the element is visible. If it does not appear, the error quotes the messages of the
 * page.
 */
export async function seen(locator: Locator): Promise<void> {
  try {
    await locator.waitFor({ state: 'visible' });
  } catch (error) {
    const messages = await locator.page().locator('[role=status], [role=alert]').allInnerTexts();
    throw new Error(`not seen; the page says: ${messages.join(' | ')}`, { cause: error });
  }
}

/**
 * Acts, and waits for a message that is shown for some seconds only. The wait begins first, so that
 * a slow machine does not miss it.
 */
export async function showsBriefly(message: Locator, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([seen(message), act()]);
}

export function gone(locator: Locator): Promise<void> {
  return locator.waitFor({ state: 'hidden' });
}

export function isFocused(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === document.activeElement);
}

/**
 * Returns the breadcrumbs. Poll this function, because the page loads shortly after its shell is
 * visible.
 */
export function readBreadcrumbs(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem').allTextContents();
}

/** Returns the texts of the column with this header, in the order of the rows. */
export async function readColumn(page: Page, header: string): Promise<string[]> {
  await page.locator('tbody tr').first().waitFor();
  return page.getByRole('table').evaluate((table, header) => {
    const at = [...table.querySelectorAll('thead th')].findIndex((head) => head.textContent === header);
    return [...table.querySelectorAll('tbody tr:not([inert])')].map((row) => row.children[at]?.textContent ?? '');
  }, header);
}
