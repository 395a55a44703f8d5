/** The sync list as users see it, and both platforms as their own users access them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { SyncBase } from '@portal/contract/sync/base';
import { type SyncIntegration, syncIntegrationSchema } from '@portal/contract/sync/integration';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { demo, openRoute, seen, signInByCall } from './user-actions.ts';

const authorization = `Basic ${btoa('demo:demo')}`;

/** The password of every demo deployment. */
export const journeyPassword = 'journey';

/** Opens a route of the list, with `NAME` replaced by the id of an app, and waits for the rows. */
export async function openSync(page: Page, route: string, { environment = 'Production', name = '' } = {}) {
  const apps = await signInByCall(page, demo, environment);
  const app = apps.find((one) => one.name === name);
  await openRoute(page, route.replace('NAME', app?.id ?? name));
  await seen(rows(page).first());
  return app;
}

export function table(page: Page): Locator {
  return page.getByRole('region', { name: 'Helium Journey Apps' });
}

function rows(page: Page): Locator {
  return table(page)
    .locator('tbody tr')
    .filter({ has: page.getByRole('checkbox') });
}

export function rowOf(page: Page, name: string): Locator {
  return rows(page).filter({ hasText: name });
}

/** Returns the integration of an app with the session of the page. */
export async function integrationNamed(page: Page, name: string, base: SyncBase): Promise<SyncIntegration> {
  const origin = new URL(page.url()).origin;
  const response = await page.request.post(`${base}list`, { data: {}, headers: { origin } });
  const list = z.array(syncIntegrationSchema).parse(await response.json());
  const found = list.find(({ appName }) => appName === name);
  if (!found) throw new Error(`There is no integration of ${name} at ${base}.`);
  return found;
}

/** Creates or changes a record in Helium, as a user of the app would. */
export async function editHelium(of: SyncIntegration, object: string, id: string, attributes: object): Promise<void> {
  const response = await fetch(`${of.heliumBaseUrl}/api/data/v1/${of.id}/${object}/${id}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ attributes }),
  });
  await requireOk(response);
}

function callJourney(of: SyncIntegration, method: string, path: string, sent?: object): Promise<Response> {
  return fetch(`${of.journeyBaseUrl}/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa(`${of.journeyUserName}:${journeyPassword}`)}`,
      'content-type': 'application/json',
    },
    ...(sent && { body: JSON.stringify(sent) }),
  });
}

/** Creates or changes a record in Journey, as a device would. */
export async function editJourney(of: SyncIntegration, model: string, id: string, fields: object): Promise<void> {
  const path = `objects/${model}/${id}.json`;
  const exists = (await callJourney(of, 'GET', path)).ok;
  await requireOk(await callJourney(of, exists ? 'PATCH' : 'PUT', path, { [model]: fields }));
}

/** Returns what Journey answers for an object, as text. */
export async function readInJourney(of: SyncIntegration, model: string, id: string): Promise<string> {
  return (await callJourney(of, 'GET', `objects/${model}/${id}.json`)).text();
}

const timeoutMs = 90_000;

export async function untilInJourney(of: SyncIntegration, model: string, id: string): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (!(await callJourney(of, 'GET', `objects/${model}/${id}.json`)).ok) {
    if (Date.now() > until) throw new Error(`${model}/${id} has not arrived in Journey.`);
    await pause(100);
  }
}

/** Makes Journey fail in this way from now on; null restores it. */
export async function breakJourney(of: SyncIntegration, faults: readonly object[] | null): Promise<void> {
  const response = await fetch(new URL('/simulator/faults', of.journeyBaseUrl), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  await requireOk(response);
}

/** Stops the edits of the simulated devices, which change and delete any record at any time. */
export async function stopDeviceEdits(journeyBaseUrl: string): Promise<void> {
  const id = new URL(journeyBaseUrl).pathname.split('/').filter(Boolean).at(-1);
  const response = await fetch(new URL(`/simulator/deployments/${id}/settings`, journeyBaseUrl), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ deviceEdits: false }),
  });
  await requireOk(response);
}

async function requireOk(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
}
