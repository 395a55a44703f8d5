/** The sync list as a person sees it, and both platforms as their own users reach them. */
import { type SyncIntegration, syncIntegrationSchema } from '@portal/contract/sync-integration';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import { arrive, seen } from './person.ts';

const authorization = `Basic ${btoa('demo:demo')}`;

/** Of every deployment of the demonstration. */
export const journeyPassword = 'journey';

/** Arrives at a route of the list, with `NAME` in it for the id of an app, and waits for the rows. */
export async function openSync(page: Page, route: string, { environment = 'Production', name = '' } = {}) {
  const apps = await arrive(page, '/', { environment });
  const app = apps.find((one) => one.name === name);
  await page.goto(`/#${route.replace('NAME', app?.id ?? name)}`);
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

/** The first integration of the environment that is signed in to. */
export async function firstIntegration(page: Page, base: string): Promise<SyncIntegration> {
  const origin = new URL(page.url()).origin;
  const answer = await page.request.post(`${base}list`, { data: {}, headers: { origin } });
  const [first] = z.array(syncIntegrationSchema).parse(await answer.json());
  if (!first) throw new Error(`There is no integration at ${base}.`);
  return first;
}

/** Makes a record in Helium as an app's user would, or changes what it has. */
export async function editHelium(of: SyncIntegration, object: string, id: string, attributes: object): Promise<void> {
  const answer = await fetch(`${of.heliumBaseUrl}/api/data/v1/${of.id}/${object}/${id}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ attributes }),
  });
  expect(answer.ok).toBe(true);
}

export function callJourney(of: SyncIntegration, method: string, path: string, sent?: object): Promise<Response> {
  return fetch(`${of.journeyBaseUrl}/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa(`${of.journeyUserName}:${journeyPassword}`)}`,
      'content-type': 'application/json',
    },
    ...(sent && { body: JSON.stringify(sent) }),
  });
}

/** Makes a record in Journey as a device would, or changes what it has. */
export async function editJourney(of: SyncIntegration, model: string, id: string, fields: object): Promise<void> {
  const path = `objects/${model}/${id}.json`;
  const isThere = (await callJourney(of, 'GET', path)).ok;
  const answer = await callJourney(of, isThere ? 'PATCH' : 'PUT', path, { [model]: fields });
  expect(answer.ok).toBe(true);
}

export async function untilInJourney(of: SyncIntegration, model: string, id: string): Promise<void> {
  const path = `objects/${model}/${id}.json`;
  await expect.poll(async () => (await callJourney(of, 'GET', path)).status, { timeout: 60_000 }).toBe(200);
}

/** What Journey does wrong from now on; null: nothing. */
export async function breakJourney(of: SyncIntegration, faults: readonly object[] | null): Promise<void> {
  const answer = await fetch(new URL('/simulator/faults', of.journeyBaseUrl), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  expect(answer.ok).toBe(true);
}
