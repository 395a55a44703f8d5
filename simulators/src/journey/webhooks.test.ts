import { createHmac, randomUUID, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { DeploymentHandle, JourneySimulator } from './simulator.ts';
import { smallDeployment, smallSchema } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';
import { startWebhookReceiver } from './webhook-receiver.fixture.ts';

const farmerWebhooks = `
    <webhook type="update" name="farmer_update">
      <field name="name"/>
    </webhook>
    <webhook type="ready">
      <field name="name"/>
      <field name="region" embed="false"/>
      <field name="portrait" state="uploaded"/>
      <field name="hectares" required="false"/>
    </webhook>
    <webhook type="update" receiver="cloudcode" action="notify"/>`;
/** Its sequences have more digits than a double can represent. */
const farms = {
  ...smallDeployment,
  id: '5f1a2b3c4d5e6f7081920a0e',
  schemaXml: smallSchema.replace('<webhook type="update" name="farmer_update"/>', farmerWebhooks),
  firstSequence: '9007199254741993',
};

let simulator: JourneySimulator;
let deployment: DeploymentHandle;
let farmDeployment: DeploymentHandle;
let call: Caller;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;

beforeAll(async () => {
  simulator = await startTestJourney({ deployments: [smallDeployment, farms] });
  [deployment, farmDeployment] = [simulator.deployment(smallDeployment.id), simulator.deployment(farms.id)];
  call = createCaller(deployment);
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  for (const one of [deployment, farmDeployment]) {
    one.webhookFaults.clear();
    for (const { name } of one.webhooks()) one.setWebhook(name, { isEnabled: false, encoding: 'hex' });
  }
  await receiver.stop();
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const enable = (name: string, on = deployment) => on.setWebhook(name, { url: receiver.url, isEnabled: true });
const put = (name: string, id: string = randomUUID()) => ({
  method: 'put' as const,
  object: { type: 'region', id, name },
});
const saveRegions = async (...names: string[]) => {
  for (const name of names) await deployment.device.edit(put(name));
};
const waitForCalls = (count: number) => vi.waitUntil(() => receiver.received.length >= count, 60_000);
/** Calls arrive in order: when the last one is there, so are all before it. */
const waitForLast = (name: string) =>
  vi.waitUntil(() => receiver.received.some(({ json }) => json.object.name === name), 60_000);
const receivedNames = () => receiver.received.map(({ json }) => json.object.name);
const control = (method: string, path: string, body?: unknown) =>
  fetch(`${simulator.baseUrl}/simulator/deployments/${deployment.id}/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('webhooks of the simulated Journey', () => {
  it('send each save by devices, by the object routes and in batches, as the op-log shows it', async () => {
    enable('region_update');
    const id = randomUUID();
    const created = await call('PUT', `objects/region/${id}.json`, { region: { name: 'A' } });
    await deployment.device.edit({ method: 'patch', object: { type: 'region', id, name: 'B' } });
    await call('PATCH', `objects/region/${id}.json`, { region: { name: 'C' } });
    await call('POST', 'batch.json', { operations: [put('D', id), put('E')] });
    await waitForCalls(5);
    const { entries } = (await call('GET', 'oplog.json?tail=true&limit=5')).body;
    const address = {
      event: 'region_update',
      server: simulator.baseUrl,
      app: deployment.id,
      app_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      account_id: deployment.id,
    };
    expect(receiver.received.map(({ json }) => json)).toEqual(
      entries.map((entry: Readonly<Record<string, unknown>>) => ({ ...address, ...entry })),
    );
    expect(receiver.received[0]?.json).toMatchObject({ operation: 'create', object: created.body });
    expect(receiver.received[0]?.json.app_id).not.toBe(deployment.id);
    expect(receiver.received.map(({ json }) => json.operation)).toEqual([
      'create',
      'update',
      'update',
      'update',
      'create',
    ]);
    for (const { headers } of receiver.received) expect(headers['content-type']).toBe('application/json');
  });

  it('send nothing for deletions, writes without an effect, and webhooks that are not set up', async () => {
    expect(deployment.webhooks().every(({ isEnabled }) => !isEnabled)).toBe(true);
    const id = randomUUID();
    await deployment.device.edit(put('before', id));
    enable('region_update');
    deployment.setWebhook('user_update', { isEnabled: true });
    deployment.setWebhook('farmer_update', { url: receiver.url });
    await call('PUT', `objects/region/${id}.json`, { region: { name: 'before' } });
    await call('PATCH', `objects/region/${randomUUID()}.json`, { region: { name: 'missing' } });
    await call('DELETE', `objects/region/${id}.json`);
    await call('POST', 'objects/user.json', { user: { name: 'without a URL' } });
    await call('POST', 'objects/farmer.json', { farmer: { name: 'not enabled' } });
    await saveRegions('last');
    await waitForLast('last');
    deployment.setWebhook('region_update', { isEnabled: false });
    await saveRegions('disabled');
    enable('user_update');
    await call('POST', 'objects/user.json', { user: { name: 'other' } });
    await waitForLast('other');
    expect(receivedNames()).toEqual(['last', 'other']);
  });

  it.each(['hex', 'base64'] as const)('are signed over the raw body, with the HMAC in %s', async (encoding) => {
    const { secret } = enable('region_update');
    expect(deployment.setWebhook('region_update', { encoding })).toMatchObject({ secret, encoding });
    await saveRegions('Zürich');
    await waitForCalls(1);
    const { headers = {}, body = Buffer.alloc(0) } = receiver.received[0] ?? {};
    const hmac = createHmac('sha256', secret).update(body).digest(encoding);
    expect(headers['x-journey-signature']).toBe(hmac);
    const signature = Buffer.from(String(headers['x-journey-signature-rsa-sha256']), 'base64');
    expect(verify('sha256', body, await simulator.webhookPublicKey(), signature)).toBe(true);
  });

  it('send ready once and update for every save while the conditions are met, with exact sequences', async () => {
    const callFarms = createCaller(farmDeployment);
    enable('farmer_update', farmDeployment);
    enable('farmer_ready', farmDeployment);
    const path = `objects/farmer/${randomUUID()}.json`;
    await callFarms('PUT', path, { farmer: { age: 1 } });
    await callFarms('PATCH', path, { farmer: { name: 'A', region_id: randomUUID() } });
    await callFarms('PATCH', path, { farmer: { portrait_id: randomUUID() } });
    await callFarms('PATCH', path, { farmer: { portrait: { base64: 'AAAA', filename: 'a.jpg' } } });
    await callFarms('PATCH', path, { farmer: { name: null } });
    await callFarms('PATCH', path, { farmer: { name: 'Z' } });
    await waitForLast('Z');
    const { entries } = (await callFarms('GET', 'oplog.json?start=0&sequence_ids=true')).body;
    const sequence = (index: number) => entries[index].sequence_id;
    expect(sequence(0)).toBe('9007199254741993');
    const calls = receiver.received.map(({ body, json }) => [
      json.event,
      /"sequence":(\d+),"operation"/.exec(body.toString('utf8'))?.[1],
    ]);
    expect(calls).toEqual([
      ['farmer_update', sequence(1)],
      ['farmer_update', sequence(2)],
      ['farmer_update', sequence(3)],
      ['farmer_ready', sequence(3)],
      ['farmer_update', sequence(5)],
    ]);
  });

  it('are set up through the control routes and keep their secret', async () => {
    const order = { name: 'region_update', url: receiver.url, enabled: true, encoding: 'base64' };
    expect(await (await control('PUT', 'webhooks', order)).json()).toMatchObject(order);
    expect(await (await control('GET', 'webhooks')).json()).toContainEqual({
      ...order,
      model: 'region',
      type: 'update',
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const secrets = deployment.webhooks().map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(3);
    await deployment.deploy(smallSchema.replace('label="Age"', 'label="Years"'));
    await deployment.deploy(smallSchema);
    expect(deployment.webhooks().map(({ secret }) => secret)).toEqual(secrets);
    await saveRegions('A');
    await waitForLast('A');
    const refused = [{ name: 'missing' }, { name: 'region_update', url: 'ftp://receiver' }, {}];
    for (const body of refused) expect((await control('PUT', 'webhooks', body)).status).toBe(400);
  });
});

describe('faulty webhooks of the simulated Journey', () => {
  it.each([
    [{ mode: 'lost', times: 1 }, 'B C D'],
    [{ mode: 'lost', skip: 1, times: 2 }, 'A D'],
    [{ mode: 'lost', path: '^farmer', times: 1 }, 'A B C D'],
    [{ mode: 'twice', times: 2 }, 'A A B B C D'],
    [{ mode: 'late', delayMs: 1, times: 1 }, 'A B C D'],
    [{ mode: 'out-of-order', times: 1 }, 'B A C D'],
    [{ mode: 'out-of-order', times: 2 }, 'B A D C'],
  ])('arrive with %j as %s', async (fault, expected) => {
    enable('region_update');
    expect(await (await control('PUT', 'webhook-faults', fault)).json()).toEqual([fault]);
    await saveRegions('A', 'B', 'C', 'D');
    const names = expected.split(' ');
    await waitForCalls(names.length);
    expect(await (await control('PUT', 'webhook-faults', null)).json()).toEqual([]);
    await saveRegions('E');
    await waitForLast('E');
    expect(receivedNames()).toEqual([...names, 'E']);
  });

  it('arrive with signatures of another text', async () => {
    const { secret } = enable('region_update');
    deployment.webhookFaults.set({ mode: 'wrongly-signed', times: 1 });
    await saveRegions('forged', 'valid');
    await waitForLast('valid');
    const publicKey = await simulator.webhookPublicKey();
    const validity = receiver.received.map(({ headers, body }) => [
      headers['x-journey-signature'] === createHmac('sha256', secret).update(body).digest('hex'),
      verify('sha256', body, publicKey, Buffer.from(String(headers['x-journey-signature-rsa-sha256']), 'base64')),
    ]);
    expect(validity).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(deployment.webhookFaults.list()).toEqual([]);
  });

  it('are discarded when their webhook is disabled before they are sent', async () => {
    enable('region_update');
    deployment.webhookFaults.set({ mode: 'out-of-order', times: 1 });
    await saveRegions('A');
    await vi.waitUntil(() => deployment.webhookFaults.list().length === 0, 60_000);
    deployment.setWebhook('region_update', { isEnabled: false });
    enable('region_update');
    await saveRegions('B', 'C');
    await waitForLast('C');
    expect(receivedNames()).toEqual(['B', 'C']);
  });
});

describe('receivers that fail', () => {
  it.each<[(number | 'cut')[], string]>([
    [[500, 503], 'A A A B'],
    [['cut', 'cut'], 'A A A B'],
    [[500, 500, 500], 'A A A B'],
    [[404], 'A B'],
  ])('get a webhook up to three times: after %j, the calls are %s', async (responses, expected) => {
    enable('region_update');
    receiver.respond(...responses);
    await saveRegions('A', 'B');
    await waitForLast('B');
    expect(receivedNames().join(' ')).toBe(expected);
    const bodies = new Set(receiver.received.map(({ body }) => body.toString('utf8')));
    expect(bodies.size).toBe(2);
  });

  it('lose the oldest of more than 10,000 that wait', async () => {
    enable('region_update');
    receiver.respond('hang');
    await saveRegions('first');
    await waitForCalls(1);
    for (let batch = 1; batch <= 11; batch++)
      await deployment.device.edit(...Array.from({ length: 1000 }, (_, at) => put(`${batch * 1000 + at}`)));
    deployment.webhookFaults.set({ mode: 'lost', times: 9_998 });
    receiver.cutConnections();
    await waitForLast('11999');
    expect(receivedNames()).toEqual(['first', 'first', '11998', '11999']);
  });

  it('delay neither writes nor the stop of the simulator', async () => {
    const other = await startTestJourney();
    const handle = other.deployment(smallDeployment.id);
    enable('region_update', handle);
    receiver.respond('hang');
    await handle.device.edit(put('A'));
    await waitForCalls(1);
    expect(await handle.device.edit(put('B'))).toMatchObject([{ success: true }]);
    await other.stop({ dropDatabase: true });
    await vi.waitUntil(async () => (await receiver.countConnections()) === 0, 60_000);
    expect(receivedNames()).toEqual(['A']);
  });

  it('get nothing from a simulator that stopped while a webhook was late', async () => {
    const other = await startTestJourney();
    const handle = other.deployment(smallDeployment.id);
    enable('region_update', handle);
    handle.webhookFaults.set({ mode: 'late', delayMs: 3_600_000, times: 1 });
    await handle.device.edit(put('A'), put('B'));
    await vi.waitUntil(() => handle.webhookFaults.list().length === 0, 60_000);
    await other.stop({ dropDatabase: true });
    expect(receiver.received).toEqual([]);
  });
});
