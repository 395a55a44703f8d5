import { createHmac } from 'node:crypto';
import { setEnabled } from '@portal/contract/sync-integration';
import { getWebhooks, maxWebhookBytes, saveWebhookSecrets } from '@portal/contract/sync-webhooks';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findLines } from '../portal-store/log.store.ts';
import { configFor, grain, startServiceForFile, until } from '../service.fixture.ts';

const test = await startServiceForFile();
const body = JSON.stringify({ event: 'farmer_update', sequence: '7240450000000000001', object: { name: 'José' } });
const appId = grain.id;

let address: string;
let received: number;

beforeAll(async () => {
  await test.merge(configFor());
  address = (await readWebhooks()).path.split('/').at(-1) ?? '';
});
beforeEach(async () => {
  await test.call(saveWebhookSecrets, { appId, secrets: ['old secret', 'secret'] });
  await until(() => test.engine.running(appId).length === 1);
  received = 0;
  test.engine.running(appId)[0]?.run.onWebhook(() => {
    received += 1;
  });
});

const readWebhooks = async () => (await test.call(getWebhooks, undefined, { appId })).body;
const sign = (text: string, secret: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding);

/** Sends what the server forwards. */
async function send(
  signature: string | null,
  text = body,
  to = address,
): Promise<{ status: number; message: unknown }> {
  const response = await fetch(`${test.service.address}/webhooks/${to}`, {
    method: 'POST',
    headers: {
      ...test.headers(),
      'content-type': 'application/json',
      ...(signature !== null && { 'x-journey-signature': signature }),
    },
    body: text,
  });
  const { message = null } = Object(await response.json());
  return { status: response.status, message };
}

describe('a webhook', () => {
  it.each(['secret', 'old secret'])('wakes the run when it is signed with a stored secret (%s)', async (secret) => {
    expect((await send(sign(body, secret))).status).toBe(200);
    await until(() => received === 1);
    expect((await send(sign(body, secret, 'base64'))).status).toBe(200);
    await until(() => received === 2);
  });

  it('is refused without a valid signature, and the log reports that once', async () => {
    const refused = { status: 403, message: expect.stringContaining('is not signed with a secret') };
    expect(await send(sign(body, 'another'))).toEqual(refused);
    expect(await send(sign(`${body} `, 'secret'))).toEqual(refused);
    expect(await send('')).toEqual(refused);
    expect(await send(null)).toEqual(refused);
    await test.parts.logWriter.flush();
    const { rows } = await test.parts.pool.query<{ id: string }>('select id from sync.integration');
    const lines = await findLines(test.parts.pool, rows[0]?.id ?? '', 'A webhook was refused', 10);
    expect(lines).toHaveLength(1);
    // A later one that is valid arrives after them.
    await send(sign(body, 'secret'));
    await until(() => received === 1);
  });

  it.each([
    ['ffffffff-ffff-4fff-8fff-ffffffffffff', 404],
    ['7', 404],
    ["'; drop table sync.integration", 404],
  ])('is refused at another address (%s)', async (to, status) => {
    expect(await send(sign(body, 'secret'), body, encodeURIComponent(to))).toEqual({
      status,
      message: 'No integration has this webhook address.',
    });
  });

  it('may have any content up to the limit', async () => {
    for (const [index, text] of ['', 'not json', '9'.repeat(maxWebhookBytes)].entries()) {
      expect((await send(sign(text, 'secret'), text)).status).toBe(200);
      await until(() => received > index);
    }
    expect((await send(sign('x', 'secret'), 'x'.repeat(maxWebhookBytes + 1))).status).toBe(413);
  });

  it('is refused to callers other than the server', async () => {
    const { status } = await fetch(`${test.service.address}/webhooks/${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-journey-signature': sign(body, 'secret') },
      body,
    });
    expect(status).toBe(401);
  });

  it('is accepted without effect while the integration is disabled', async () => {
    await test.call(setEnabled, { appIds: [appId], enabled: false });
    await until(() => test.engine.running(appId).length === 0);
    expect((await send(sign(body, 'secret'))).status).toBe(200);
    await test.call(setEnabled, { appIds: [appId], enabled: true });
  });
});

describe('the secrets', () => {
  it('are stored encrypted, counted and never shown', async () => {
    const { body: saved } = await test.call(saveWebhookSecrets, { appId, secrets: ['hush-hush'] });
    expect(saved).toEqual(await readWebhooks());
    expect(saved).toMatchObject({ secrets: 1, path: `/portal-backend/api/sync-webhook/${address}` });
    const { rows } = await test.parts.pool.query('select i::text as row from sync.integration i');
    expect(JSON.stringify([saved, rows])).not.toContain('hush-hush');
    expect((await send(sign(body, 'hush-hush'))).status).toBe(200);
    expect((await send(sign(body, 'secret'))).status).toBe(403);
  });

  it('stay when the configuration is saved', async () => {
    await test.call(saveWebhookSecrets, { appId, secrets: ['kept'] });
    const [before] = test.engine.running(appId);
    await test.merge({ ...configFor(), logRecordIds: true });
    await until(() => before?.isOver && test.engine.running(appId).length === 1);
    expect((await send(sign(body, 'kept'))).status).toBe(200);
  });

  it('can be removed: then every webhook is refused', async () => {
    expect((await test.call(saveWebhookSecrets, { appId, secrets: [] })).body.secrets).toBe(0);
    expect((await send(sign(body, 'secret'))).status).toBe(403);
    expect((await send(sign(body, ''))).status).toBe(403);
  });

  it('are limited in number and length', async () => {
    for (const secrets of [[''], ['x'.repeat(201)], Array.from({ length: 51 }, (_, at) => `s${at}`)])
      expect((await test.call(saveWebhookSecrets, { appId, secrets })).status).toBe(400);
  });
});

it('shows when the last webhook arrived, and that a change had none', async () => {
  const [running] = test.engine.running(appId);
  running?.run.publish({ webhookReceivedMs: 1_700_000_000_000, webhookMissedMs: 1_700_000_060_000 });
  await until(async () => (await readWebhooks()).missedAt !== null);
  expect(await readWebhooks()).toMatchObject({ lastReceived: 1_700_000_000_000, missedAt: 1_700_000_060_000 });
});
