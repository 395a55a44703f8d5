import { createHmac } from 'node:crypto';
import { setEnabled } from '@portal/contract/sync/integration';
import {
  getWebhooks,
  maxWebhookBytes,
  saveWebhookSecrets,
  webhookVerdictsSchema,
} from '@portal/contract/sync/webhooks';
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
  await test.call(saveWebhookSecrets, { appId, secrets: ['the old secret of a webhook', 'the secret of a webhook'] });
  await until(() => test.engine.running(appId).length === 1);
  received = 0;
  test.engine.running(appId)[0]?.run.onWebhook(() => {
    received += 1;
  });
});

const readWebhooks = async () => (await test.call(getWebhooks, undefined, { appId })).body;
const sign = (text: string, secret: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding);

const webhook = (signature: string, text = body, to = address) => ({
  address: to,
  signature,
  body: Buffer.from(text).toString('base64'),
});

/** Sends what the server forwards. */
async function sendAll(batch: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${test.service.address}/webhooks`, {
    method: 'POST',
    headers: { ...test.headers(), 'content-type': 'application/json' },
    body: JSON.stringify(batch),
  });
  return { status: response.status, body: await response.json() };
}

const accepted = { status: 200, message: null };

/** Returns the verdict on a webhook. */
async function send(signature: string, text = body, to = address): Promise<{ status: number; message: unknown }> {
  const response = await sendAll([webhook(signature, text, to)]);
  const [verdict] = webhookVerdictsSchema.parse(response.body);
  return verdict ?? accepted;
}

describe('a webhook', () => {
  it.each(['the secret of a webhook', 'the old secret of a webhook'])(
    'wakes the run when it is signed with a stored secret (%s)',
    async (secret) => {
      expect((await send(sign(body, secret))).status).toBe(200);
      await until(() => received === 1);
      expect((await send(sign(body, secret, 'base64'))).status).toBe(200);
      await until(() => received === 2);
    },
  );

  it('is refused without a valid signature, and the log reports that once', async () => {
    const refused = { status: 403, message: expect.stringContaining('is not signed with a secret') };
    expect(await send(sign(body, 'the secret of another webhook'))).toEqual(refused);
    expect(await send(sign(`${body} `, 'the secret of a webhook'))).toEqual(refused);
    expect(await send('')).toEqual(refused);
    await test.parts.logWriter.flush();
    const { rows } = await test.parts.pool.query<{ id: string }>('select id from sync.integration');
    const lines = await findLines(test.parts.pool, rows[0]?.id ?? '', 'A webhook was refused', 10);
    expect(lines).toHaveLength(1);
    // A later one that is valid arrives after them.
    await send(sign(body, 'the secret of a webhook'));
    await until(() => received === 1);
  });

  it.each([
    ['ffffffff-ffff-4fff-8fff-ffffffffffff', 404],
    ['7', 404],
    ["'; drop table sync.integration", 404],
  ])('is refused at another address (%s)', async (to, status) => {
    expect(await send(sign(body, 'the secret of a webhook'), body, to)).toEqual({
      status,
      message: 'No integration has this webhook address.',
    });
  });

  it('may have any content up to the limit', async () => {
    for (const [index, text] of ['', 'not json', '9'.repeat(maxWebhookBytes)].entries()) {
      expect((await send(sign(text, 'the secret of a webhook'), text)).status).toBe(200);
      await until(() => received > index);
    }
  });

  it('is refused to callers other than the server', async () => {
    const { status } = await fetch(`${test.service.address}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([webhook(sign(body, 'the secret of a webhook'))]),
    });
    expect(status).toBe(401);
  });

  it('is accepted without effect while the integration is disabled', async () => {
    await test.call(setEnabled, { appIds: [appId], enabled: false });
    await until(() => test.engine.running(appId).length === 0);
    expect((await send(sign(body, 'the secret of a webhook'))).status).toBe(200);
    await test.call(setEnabled, { appIds: [appId], enabled: true });
  });
});

describe('a batch of webhooks', () => {
  const valid = () => webhook(sign(body, 'the secret of a webhook'));

  it('gets a verdict on each, and wakes the run once for all that are accepted', async () => {
    const forged = webhook(sign(body, 'the secret of another webhook'));
    const unknown = webhook(valid().signature, body, '7');
    const { body: verdicts } = await sendAll([forged, valid(), unknown, valid(), forged]);
    const statuses = webhookVerdictsSchema.parse(verdicts).map((verdict) => verdict?.status ?? 200);
    expect(statuses).toEqual([403, 200, 404, 200, 403]);
    await until(() => received > 0);
    // A notification that arrives later than those of the batch.
    expect(await send(valid().signature)).toEqual(accepted);
    await until(() => received === 2);
  });

  it('wakes no run when none is accepted', async () => {
    await sendAll([webhook(''), webhook(sign(body, 'the secret of another webhook'))]);
    expect(await send(valid().signature)).toEqual(accepted);
    await until(() => received > 0);
    expect(received).toBe(1);
  });

  it('gets a verdict on the others when the secrets of one cannot be read', async () => {
    const other = { id: '7a0d', name: 'Poultry', schemaName: 'poultry' };
    await test.merge(configFor(other), other);
    const { path } = (await test.call(getWebhooks, undefined, { appId: other.id })).body;
    const { pool } = test.parts;
    await pool.query(`update sync.integration set webhook_secrets = 'sealed with another key' where app_id = $1`, [
      other.id,
    ]);
    const { body: verdicts } = await sendAll([{ ...valid(), address: path.split('/').at(-1) }, valid()]);
    expect(verdicts).toMatchObject([{ status: 400, message: expect.stringContaining('Enter them again') }, null]);
  });

  it.each([[null], [{}], [[{ address: 'a' }]], [[null]]])('is refused when it is none (%j)', async (batch) => {
    expect((await sendAll(batch)).status).toBe(400);
  });
});

describe('the secrets', () => {
  it('are stored encrypted, counted and never shown', async () => {
    const { body: saved } = await test.call(saveWebhookSecrets, { appId, secrets: ['hush-hush-hush-hush'] });
    expect(saved).toEqual(await readWebhooks());
    expect(saved).toMatchObject({ secrets: 1, path: `/portal-backend/api/sync-webhook/${address}` });
    const { rows } = await test.parts.pool.query('select i::text as row from sync.integration i');
    expect(JSON.stringify([saved, rows])).not.toContain('hush-hush-hush-hush');
    expect((await send(sign(body, 'hush-hush-hush-hush'))).status).toBe(200);
    expect((await send(sign(body, 'the secret of a webhook'))).status).toBe(403);
  });

  it('stay when the configuration is saved', async () => {
    await test.call(saveWebhookSecrets, { appId, secrets: ['the secret that is kept'] });
    const [before] = test.engine.running(appId);
    await test.merge({ ...configFor(), logRecordIds: true });
    await until(() => before?.isOver && test.engine.running(appId).length === 1);
    expect((await send(sign(body, 'the secret that is kept'))).status).toBe(200);
  });

  it('can be removed: then every webhook is refused', async () => {
    expect((await test.call(saveWebhookSecrets, { appId, secrets: [] })).body.secrets).toBe(0);
    expect((await send(sign(body, 'the secret of a webhook'))).status).toBe(403);
    expect((await send(sign(body, ''))).status).toBe(403);
  });

  it('are limited in number and length', async () => {
    const many = Array.from({ length: 51 }, (_, at) => `the secret of webhook ${at}`);
    for (const secrets of [[''], ['x'.repeat(15)], ['x'.repeat(201)], many])
      expect((await test.call(saveWebhookSecrets, { appId, secrets })).status).toBe(400);
  });
});

it('shows how many stored secrets are shorter than new ones must be, and accepts them', async () => {
  const { rows } = await test.parts.pool.query<{ id: string; environment: string }>(
    'select id, environment from sync.integration where app_id = $1',
    [appId],
  );
  const { id = '', environment = '' } = rows[0] ?? {};
  await test.parts.webhooks.saveSecrets({ id, environment, appId }, ['short', 'the secret of a webhook']);
  expect(await readWebhooks()).toMatchObject({ secrets: 2, shortSecrets: 1 });
  expect(await send(sign(body, 'short'))).toEqual(accepted);
});

it('shows when the last webhook arrived, and that a change had none', async () => {
  const [running] = test.engine.running(appId);
  running?.run.publish({ webhookReceivedMs: 1_700_000_000_000, webhookMissedMs: 1_700_000_060_000 });
  await until(async () => (await readWebhooks()).missedAt !== null);
  expect(await readWebhooks()).toMatchObject({ lastReceived: 1_700_000_000_000, missedAt: 1_700_000_060_000 });
});
