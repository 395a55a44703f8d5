import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { receiveWebhook } from '@portal/contract/operations';
import { maxWebhookBytes } from '@portal/contract/sync-webhooks';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SyncService } from '../../sync-service/sync-service.ts';
import { type ScriptedSyncService, startScriptedSyncService } from '../../testing/scripted-sync-service.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const address = '3f2b8a52-7d0c-4a55-9c8e-0d3a4f8b1c2d';
const forwarding = `POST /webhooks/${address}`;

let service: ScriptedSyncService;
let server: TestServer;

beforeAll(async () => {
  service = await startScriptedSyncService();
  server = await startTestServer({
    environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1' }],
    sync: service.sync,
  });
});
afterAll(async () => {
  await server.stop();
  await service.stop();
});
beforeEach(() => {
  service.clear();
  service.script(forwarding, () => ({ status: 'ok' }));
});

/** Sends what Journey sends: without a session and without an origin. */
async function send(body: string, to = address, type = 'application/json') {
  const { statusCode, body: answer } = await server.app.inject({
    method: 'POST',
    url: receiveWebhook.path.replace(':address', to),
    headers: { 'content-type': type, 'x-journey-signature': 'signature-1' },
    payload: body,
  });
  return { status: statusCode, text: answer };
}

it("forwards Journey's webhooks with the signature", async () => {
  const body = '{"event":"farmer_update","sequence":7240450000000000001}';
  expect(await send(body)).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(service.calls).toMatchObject([{ what: forwarding, headers: { 'x-journey-signature': 'signature-1' } }]);
  expect(service.calls[0]?.headers['content-length']).toBe(String(body.length));
});

it('forwards the bytes as they were sent', async () => {
  const body = '{ "sequence" : 7240450000000000001,\n"name":"José" , "a":1, "a":2 }';
  let received = '';
  const receiver = createServer(async (request, response) => {
    received = await text(request);
    response.end('{"status":"ok"}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const sync = new SyncService({ url: `http://127.0.0.1:${port}`, token: new Secret('token') });
  await sync.forwardWebhook(address, { body: Buffer.from(body), signature: 's', requestId: 'r-1' });
  expect(received).toBe(body);
  await new Promise((resolve) => receiver.close(resolve).closeAllConnections());
});

it('forwards the latest of those that arrive faster than they are needed, and answers all', async () => {
  const fromMs = performance.now();
  const sent = await Promise.all(Array.from({ length: 2_000 }, (_, at) => send(JSON.stringify({ at }))));
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
  // One in 50 ms; timers may be early by one.
  expect(service.calls.length).toBeLessThanOrEqual((performance.now() - fromMs) / 49 + 2);
  expect(service.calls.at(-1)?.body).toEqual({ at: 1_999 });
});

it('passes on why the service refuses one', async () => {
  service.script(forwarding, (_, reply) =>
    reply.code(403).send({ message: 'The webhook is not signed.', requestId: 's-1', kind: 'refused' }),
  );
  const refused = await send('{}');
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.text)).toMatchObject({ message: 'The webhook is not signed.' });
});

it.each(['7', 'ffffffff-ffff-4fff-8fff-fffffffffff', '../list', "'--"])(
  'answers without the service at what cannot be an address (%s)',
  async (to) => {
    expect((await send('{}', encodeURIComponent(to))).status).toBe(404);
    expect(service.calls).toEqual([]);
  },
);

it('refuses bodies that are too large or not JSON, before anything is forwarded', async () => {
  expect((await send('x'.repeat(maxWebhookBytes + 1))).status).toBe(413);
  expect((await send('<xml/>', address, 'text/xml')).status).toBe(415);
  expect(service.calls).toEqual([]);
});
