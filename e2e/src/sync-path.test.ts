/**
 * A person's path over everything `npm start` starts: a record made on either side, edits on both at once, Journey away for a
 * while, a record that waits for its parent. Screens are not part of it; both platforms are asked themselves.
 */
import { randomUUID } from 'node:crypto';
import { getEnvironments } from '@portal/contract/environments';
import { getIntegration, listIntegrations, revealPassword } from '@portal/contract/sync';
import { placeAt, syncBaseOf } from '@portal/contract/sync-base';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type DemoSystem, startDemoSystem } from './demo-system.ts';

const ENVIRONMENT = 'Staging';
const APP = 'Farmer Input Vouchers';
const authorization = `Basic ${btoa('demo:demo')}`;

let system: DemoSystem;
let heliumUrl: string;
let journey: { readonly url: string; readonly authorization: string };

beforeAll(async () => {
  system = await startDemoSystem();
  const environments = getEnvironments.answers.parse(await callPortal('GET', getEnvironments.path));
  const environment = environments.find(({ name }) => name === ENVIRONMENT);
  if (!environment) throw new Error(`There is no ${ENVIRONMENT}.`);
  const { baseUrl } = environment;
  const base = syncBaseOf(ENVIRONMENT);
  const call = (path: string, sent: Readonly<Record<string, unknown>>) =>
    callPortal('POST', path, { baseUrl, ...sent });
  const integration = await vi.waitFor(
    async () => {
      const list = listIntegrations.answers.parse(await call(placeAt(base, listIntegrations).path, {}));
      const found = list.find(({ appName }) => appName === APP);
      expect(found).toMatchObject({ status: 'Enabled', heliumSyncStatus: 'Live', journeySyncStatus: 'Live' });
      return found;
    },
    { timeout: 120_000, interval: 500 },
  );
  const appId = integration?.id ?? '';
  const path = placeAt(base, getIntegration).path.replace(':appId', appId);
  const { config } = getIntegration.answers.parse(
    await callPortal('GET', `${path}?baseUrl=${encodeURIComponent(baseUrl)}`),
  );
  const { password } = revealPassword.answers.parse(await call(placeAt(base, revealPassword).path, { appId }));
  heliumUrl = `${baseUrl}/api/data/v1/${appId}`;
  const { userName } = config.journey.restAPICredentials;
  journey = { url: config.journey.baseUrl, authorization: `Basic ${btoa(`${userName}:${password}`)}` };
});

afterAll(() => system.stop());

async function callPortal(method: 'GET' | 'POST', path: string, sent?: unknown): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${system.port}${path}`, {
    method,
    headers: { authorization, ...(sent !== undefined && { 'content-type': 'application/json' }) },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body;
}

/** What Helium's own API says of a record; undefined when there is none. */
async function inHelium(object: string, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await fetch(`${heliumUrl}/${object}/${id}`, { headers: { authorization } });
  if (answer.status === 404) return undefined;
  const { attributes } = await answer.json();
  return attributes;
}

async function editHelium(object: string, id: string, attributes: Readonly<Record<string, unknown>>): Promise<void> {
  const answer = await fetch(`${heliumUrl}/${object}/${id}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ attributes }),
  });
  if (!answer.ok) throw new Error(`Helium: ${answer.status} ${await answer.text()}`);
}

async function callJourney(method: string, path: string, sent?: unknown): Promise<Response> {
  return fetch(`${journey.url.replace(/\/$/, '')}/${path}`, {
    method,
    headers: { authorization: journey.authorization, 'content-type': 'application/json' },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
}

const inJourney = async (model: string, id: string): Promise<unknown> => {
  const answer = await callJourney('GET', `objects/${model}/${id}.json`);
  return answer.status === 404 ? undefined : answer.json();
};

async function editJourney(model: string, id: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const method = (await inJourney(model, id)) === undefined ? 'PUT' : 'PATCH';
  const answer = await callJourney(method, `objects/${model}/${id}.json`, { [model]: fields });
  if (!answer.ok) throw new Error(`Journey: ${answer.status} ${await answer.text()}`);
}

async function faults(order: unknown): Promise<void> {
  await fetch(new URL('/simulator/faults', journey.url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
}

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

test('a record made on one side is on the other, and what both edit at once is on both', async () => {
  const [here, there] = [randomUUID(), randomUUID()];
  await editHelium('AgroDealer', here, { name: 'Kabwe Farm Store', province: 'Central', approved: true });
  await editJourney('agroDealer', there, { name: 'Mongu Co-op', province: 'Western', approved: false });
  await soon(async () => {
    expect(await inJourney('agroDealer', here)).toMatchObject({ name: 'Kabwe Farm Store', approved: { key: true } });
    expect(await inHelium('AgroDealer', there)).toMatchObject({ name: 'Mongu Co-op', approved: false });
  });
  await Promise.all([
    editHelium('AgroDealer', here, { name: 'Kabwe Agro Supplies' }),
    editJourney('agroDealer', here, { province: 'Lusaka' }),
  ]);
  await soon(async () => {
    const both = { name: 'Kabwe Agro Supplies', province: 'Lusaka' };
    expect(await inHelium('AgroDealer', here)).toMatchObject(both);
    expect(await inJourney('agroDealer', here)).toMatchObject(both);
  });
});

test('while Journey is away nothing is lost, and a voucher waits for its farmer', async () => {
  const [dealer, farmer, voucher] = [randomUUID(), randomUUID(), randomUUID()];
  await editHelium('AgroDealer', dealer, { name: 'Choma Co-op' });
  await soon(async () => expect(await inJourney('agroDealer', dealer)).toMatchObject({ name: 'Choma Co-op' }));

  await faults([{ mode: 'refuse', path: 'batch|oplog' }]);
  await editHelium('AgroDealer', dealer, { province: 'Southern' });
  // Its farmer is on nobody's side yet: Journey does not mind, Helium does.
  await editJourney('voucher', voucher, { code: 'EV00000042', farmer_id: farmer });
  await faults(null);
  await soon(async () => expect(await inJourney('agroDealer', dealer)).toMatchObject({ province: 'Southern' }));
  expect(await inHelium('Voucher', voucher)).toBeUndefined();

  await editHelium('Farmer', farmer, { nationalId: 'NRC00000042' });
  await soon(async () => {
    expect(await inJourney('farmer', farmer)).toMatchObject({ nationalId: 'NRC00000042' });
    expect(await inHelium('Voucher', voucher)).toMatchObject({ code: 'EV00000042' });
  });
});
