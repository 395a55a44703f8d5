/** Journey's webhooks at the real server and the real sync service behind it. */
import { createHmac, randomUUID } from 'node:crypto';
import { getApps } from '@portal/contract/apps';
import { receiveWebhook } from '@portal/contract/operations';
import { getSyncSocketPaths, withBase } from '@portal/contract/sync/base';
import { getTemplate } from '@portal/contract/sync/config';
import { getWebhooks, saveWebhookSecrets } from '@portal/contract/sync/webhooks';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type BothServices, startBothServices } from './both-services.ts';
import { journeyAddress } from './create-integration.ts';

const base = '/sync/api/';
const secret = 'a secret of this integration';

let both: BothServices;
let address: string;

beforeAll(async () => {
  both = await startBothServices();
  const client = await both.server.signIn('demo', 'demo');
  const [app] = await client.call(getApps, {});
  const [dataSource] = both.helium.dataSources;
  const appId = app?.id ?? '';
  const template = await client.call(withBase(base, getTemplate), {
    uuid: appId,
    dataSource: dataSource?.heliumDataSourceName ?? '',
    journeyUserMode: 'user',
  });
  const journeyId = '5f0000000000000000000001';
  const journey = {
    appId: journeyId,
    baseUrl: `${journeyAddress}${journeyId}`,
    restAPICredentials: { userName: journeyId, password: 'sesame' },
  };
  const config = { ...template, enabled: false, journey };
  const [path] = getSyncSocketPaths(base);
  const socket = new WebSocket(both.server.url + path, { headers: client.cookieHeaders });
  socket.on('open', () => socket.send(JSON.stringify({ type: 'MERGE', appId, config })));
  const reply = await new Promise<string>((resolve) => {
    socket.on('message', (data) => resolve(String(data)));
    socket.on('close', (code, reason) => resolve(`closed with ${code} ${reason}`));
  });
  expect(reply).toContain('Saved');
  await client.call(withBase(base, saveWebhookSecrets), { appId, secrets: [secret] });
  const { path: pattern } = withBase(base, getWebhooks);
  const { text } = await client.send('GET', pattern.replace(':appId', appId));
  address = getWebhooks.response.parse(JSON.parse(text)).path.split('/').at(-1) ?? '';
});
afterAll(() => both.stop());

const kinds = { signed: 200, forged: 403, unsigned: 403, misdirected: 404, invalid: 404 } as const;
type Kind = keyof typeof kinds;

/** Sends a webhook and returns its status. Only a signed one has the signature of its own bytes. */
async function send(kind: Kind, body: string): Promise<number> {
  const key = kind === 'forged' ? 'a secret of someone else' : secret;
  const to = { misdirected: randomUUID(), invalid: 'ffffffff-ffff-ffff-ffff-fffffffffff0' }[String(kind)] ?? address;
  const response = await fetch(both.server.url + receiveWebhook.path.replace(':address', to), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(kind !== 'unsigned' && { 'x-journey-signature': createHmac('sha256', key).update(body).digest('hex') }),
    },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

const sendBurst = (burst: readonly Kind[]) =>
  Promise.all(burst.map((kind, at) => send(kind, JSON.stringify({ sequence: at }))));

test.each<[Kind[]]>([
  [['forged', 'signed', 'forged']],
  [['forged', 'forged', 'signed']],
  [['signed', 'forged', 'forged']],
  [['signed', 'forged', 'signed']],
])('each webhook of a burst gets its own verdict (%j)', async (burst) => {
  expect(await sendBurst(burst)).toEqual(burst.map((kind) => kinds[kind]));
});

test('each webhook gets its own verdict in every order of a burst', async () => {
  const burst = fc.array(fc.constantFrom(...(Object.keys(kinds) as Kind[])), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(burst, async (order) => {
      expect(await sendBurst(order)).toEqual(order.map((kind) => kinds[kind]));
    }),
    { numRuns: 30 },
  );
});

test('a signature is valid for the bytes that were signed only, also in a burst', async () => {
  const signed = createHmac('sha256', secret).update('{"sequence":1}').digest('hex');
  const bodies = ['{"sequence":1}', '{"sequence":1} ', '{"sequence": 1}', '{"sequence":2}', ''];
  const statuses = await Promise.all(
    bodies.map(async (body) => {
      const response = await fetch(both.server.url + receiveWebhook.path.replace(':address', address), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-journey-signature': signed },
        body,
      });
      return response.status;
    }),
  );
  expect(statuses).toEqual([200, 403, 403, 403, 403]);
});
