import { receiveWebhook } from '@portal/contract/operations';
import { forwardedWebhooksSchema, maxWebhookBytes } from '@portal/contract/sync/webhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ScriptedSyncService, startScriptedSyncService } from '../../testing/scripted-sync-service.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const address = '3f2b8a52-7d0c-4a55-9c8e-0d3a4f8b1c2d';
const forwarding = 'POST /webhooks';
const refusal = { status: 403, message: 'The webhook is not signed.' };

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
  acceptAllBut('');
});

const readBatch = (body: unknown) => forwardedWebhooksSchema.parse(body);
const decode = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');

/** Lets the service accept all webhooks but those with this body. */
function acceptAllBut(refused: string): void {
  service.script(forwarding, ({ body }) =>
    readBatch(body).map((webhook) => (decode(webhook.body) === refused ? refusal : null)),
  );
}

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

it("forwards Journey's webhooks with the signature and the bytes as they were sent", async () => {
  const body = '{ "sequence" : 7240450000000000001,\n"name":"José" , "a":1, "a":2 }';
  expect(await send(body)).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(service.calls.map((call) => readBatch(call.body))).toEqual([
    [{ address, signature: 'signature-1', body: Buffer.from(body).toString('base64') }],
  ]);
});

it('forwards webhooks that arrive faster than they are needed in batches, and gives each its own response', async () => {
  acceptAllBut('"forged"');
  const bodies = Array.from({ length: 2_000 }, (_, at) => (at % 3 === 0 ? '"forged"' : String(at)));
  const sent = await Promise.all(bodies.map((body) => send(body)));
  expect(sent.map(({ status }) => status)).toEqual(bodies.map((body) => (body === '"forged"' ? 403 : 200)));
  const forwarded = service.calls.map((call) => readBatch(call.body));
  expect(forwarded.flat().map(({ body }) => decode(body))).toEqual(bodies);
  // The first on its own, and the others in batches of 256 kB, where each counts 256 bytes or more.
  expect(forwarded.length).toBeLessThanOrEqual(4);
});

it('passes on why the service refuses one', async () => {
  acceptAllBut('{}');
  const refused = await send('{}');
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.text)).toMatchObject({ message: refusal.message });
});

it('accepts no webhook without a verdict', async () => {
  service.script(forwarding, () => []);
  expect((await send('{}')).status).toBe(500);
  service.script(forwarding, () => ({ status: 'ok' }));
  expect((await send('{}')).status).toBe(502);
});

it('shortens what is too long for a signature, so that it takes no room in a batch', async () => {
  const { statusCode } = await server.app.inject({
    method: 'POST',
    url: receiveWebhook.path.replace(':address', address),
    headers: { 'content-type': 'application/json', 'x-journey-signature': 'f'.repeat(10_000) },
    payload: '{}',
  });
  expect(statusCode).toBe(200);
  expect(service.calls.map((call) => readBatch(call.body))).toMatchObject([[{ signature: 'f'.repeat(100) }]]);
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
