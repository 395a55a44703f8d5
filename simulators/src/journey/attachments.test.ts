import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

let simulator: JourneySimulator;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney();
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const headers = { authorization: `Basic ${btoa(`${smallDeployment.id}:${smallDeployment.password}`)}` };
const photo = (content: Buffer, filename = 'me.jpg') => ({
  portrait: { base64: content.toString('base64'), filename },
});
const head = async () => (await call('GET', 'oplog.json?tail=true&limit=1')).body.entries[0]?.sequence ?? 0;

async function download(url: string) {
  const first = await fetch(url, { headers, redirect: 'manual' });
  expect(first.status).toBe(302);
  const second = await fetch(new URL(first.headers.get('location') ?? '', url));
  return { type: second.headers.get('content-type'), bytes: Buffer.from(await second.arrayBuffer()) };
}

describe('simulated attachments', () => {
  it('accepts base64 and serves the bytes by a redirect in every size', async () => {
    const content = randomBytes(5000);
    const { body } = await call('POST', 'objects/farmer.json', { farmer: photo(content) });
    expect(body.portrait_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.portrait).toEqual({
      state: 'uploaded',
      original: expect.any(String),
      thumbnail: expect.any(String),
      fullscreen: expect.any(String),
    });
    for (const url of [body.portrait.original, body.portrait.thumbnail, body.portrait.fullscreen])
      expect(await download(url)).toEqual({ type: 'image/jpeg', bytes: content });
    expect((await fetch(body.portrait.original, { redirect: 'manual' })).status).toBe(401);
    const { entries } = (await call('GET', 'oplog.json?tail=true&limit=1')).body;
    expect(entries[0].object).toEqual(body);
  });

  it('treats the same bytes as the same attachment and changes nothing', async () => {
    const content = randomBytes(100);
    const id = randomUUID();
    const first = await call('PUT', `objects/farmer/${id}.json`, { farmer: photo(content) });
    const before = await head();
    expect((await call('PUT', `objects/farmer/${id}.json`, { farmer: photo(content) })).body).toEqual(first.body);
    expect(await head()).toBe(before);
    const other = await call('PATCH', `objects/farmer/${id}.json`, { farmer: photo(randomBytes(100)) });
    expect(other.body.portrait_id).not.toBe(first.body.portrait_id);
  });

  it('assigns an attachment by either form of its id and clears it with null', async () => {
    const { body } = await call('POST', 'objects/farmer.json', { farmer: photo(randomBytes(10)) });
    const id = body.portrait_id;
    for (const fields of [{ portrait: { id } }, { portrait_id: id }])
      expect((await call('POST', 'objects/farmer.json', { farmer: fields })).body.portrait).toEqual(body.portrait);
    const cleared = await call('PATCH', `objects/farmer/${body.id}.json`, { farmer: { portrait: null } });
    expect(cleared.body).toMatchObject({ portrait: null, portrait_id: null });
  });

  it('shows an attachment without bytes as pending, or in the state that was set', async () => {
    const { body } = await call('POST', 'objects/farmer.json', { farmer: { consent_id: randomUUID() } });
    expect(body.consent).toEqual({ state: 'pending' });
    for (const state of ['missing', 'untrusted'] as const) {
      simulator.deployment(smallDeployment.id).setUploadState(body.consent_id, state);
      expect((await call('GET', `objects/farmer/${body.id}.json`)).body.consent).toEqual({ state });
    }
    const signed = await call('POST', 'objects/farmer.json', {
      farmer: { consent: { base64: 'AAAA', filename: 'x 1.svg' }, contract: { base64: 'JVBERg==', filename: 'c.pdf' } },
    });
    expect(await download(signed.body.consent.svg)).toMatchObject({ type: 'image/svg+xml' });
    expect(await download(signed.body.contract.original)).toMatchObject({ type: 'application/pdf' });
  });

  it('accepts 25 MB', async () => {
    const content = randomBytes(25 * 1024 * 1024);
    const { body } = await call('POST', 'objects/farmer.json', { farmer: photo(content, 'big.png') });
    expect((await download(body.portrait.original)).bytes.equals(content)).toBe(true);
  });

  it('rejects callers without the signed address', async () => {
    const { body } = await call('POST', 'objects/farmer.json', { farmer: photo(randomBytes(10)) });
    const guess = `${simulator.baseUrl}/downloads/${smallDeployment.id}/${body.portrait_id}/guess/me.jpg`;
    expect((await fetch(guess)).status).toBe(404);
    expect((await call('GET', `attachments/${randomUUID()}/original`)).body.type).toBe('OBJECT_NOT_FOUND');
  });
});
