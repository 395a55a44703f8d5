/** User actions on the form of a sync integration, and the resulting state in the service. */

import { getSyncBase, getSyncSocketPaths, withBase } from '@portal/contract/sync/base';
import type { SyncConfig } from '@portal/contract/sync/config';
import { getIntegration, listIntegrations, type SyncIntegration } from '@portal/contract/sync/integration';
import type { Locator, Page } from 'playwright-core';
import { arrive, seen } from './user-actions.ts';

/** The password of every demo Journey deployment. */
export const journeyPassword = 'journey';

export const saveButton = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
export const skipTables = (page: Page) => page.getByLabel('Change Log Skip Tables');
export const enabled = (page: Page) => page.getByRole('switch', { name: /^Enabled / });
export const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text }).first();

/** Opens the form of an app's integration from the list. Returns the app's id. */
export async function edit(page: Page, name: string): Promise<string> {
  const apps = await arrive(page, '/sync');
  const id = apps.find((app) => app.name === name)?.id ?? name;
  await page.goto(`/#/sync/form/${id}`);
  await seen(saveButton(page));
  return id;
}

export async function saveAndConfirm(page: Page, title = 'Save these changes?', button = 'Save'): Promise<void> {
  await saveButton(page).click();
  await page.getByRole('dialog', { name: title }).getByRole('button', { name: button, exact: true }).click();
}

/** Finds the cells of a table row by its field, and waits for them. */
export async function row(dialog: Locator, field: string): Promise<string[]> {
  const found = dialog.getByRole('row').filter({ hasText: field });
  await seen(found);
  return found.locator('th, td').allTextContents();
}

const getOrigin = (page: Page) => new URL(page.url()).origin;

/** Returns undefined if there is none. */
export async function fetchIntegration(
  page: Page,
  appId: string,
  environment = 'Production',
): Promise<SyncIntegration | undefined> {
  const { path } = withBase(getSyncBase(environment), listIntegrations);
  const response = await page.request.post(path, { data: {}, headers: { origin: getOrigin(page) } });
  return listIntegrations.response.parse(await response.json()).find(({ id }) => id === appId);
}

export async function fetchConfig(page: Page, appId: string, environment = 'Production'): Promise<SyncConfig> {
  const { path } = withBase(getSyncBase(environment), getIntegration);
  const response = await page.request.get(path.replace(':appId', appId));
  return getIntegration.response.parse(await response.json()).config;
}

/** Deletes the integration as the list's Delete does. Returns the service's reply. */
export function destroy(page: Page, appId: string, environment = 'Production'): Promise<string> {
  const [path] = getSyncSocketPaths(getSyncBase(environment));
  return page.evaluate(
    ({ appId, path }) =>
      new Promise<string>((resolve) => {
        let reply = '';
        const socket = new WebSocket(location.origin.replace('http', 'ws') + path);
        socket.onopen = () => socket.send(JSON.stringify({ type: 'DESTROY', appId }));
        socket.onmessage = ({ data }) => {
          reply = String(JSON.parse(String(data)).value);
        };
        socket.onclose = () => resolve(reply);
      }),
    { appId, path },
  );
}
