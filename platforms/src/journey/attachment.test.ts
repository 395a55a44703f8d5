import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import { json, plain, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const api = `/api/v4/${userName}`;

let server: ScriptedServer;
let client: JourneyClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = createJourneyClient({ baseUrl: server.origin, userName, password: new Secret('secret') });
});
afterAll(() => server.stop());

describe('Journey attachment', () => {
  const bytes = Buffer.from([0xff, 0xd8, 0x00, 0x3c]);
  const image = { 'content-type': 'image/jpeg; q=1' };
  const url = () => `${server.origin}${api}/attachments/a.jpg?size=1`;

  it('follows the redirect to the file', async () => {
    server.play(plain('', 302, { location: '../../../../files/a.jpg?key=k' }), plain(bytes, 200, image));
    const file = await client.attachment(url());
    expect(Buffer.from(file.bytes)).toEqual(bytes);
    expect(file.mediaType).toBe('image/jpeg');
    expect(server.seen).toMatchObject([
      { path: `${api}/attachments/a.jpg`, query: { size: '1' } },
      { path: '/files/a.jpg', query: { key: 'k' } },
    ]);
  });

  it('accepts any type of file, including a web page', async () => {
    server.play(plain('<!doctype html>', 200, { 'content-type': 'text/html' }));
    expect(await client.attachment(url())).toMatchObject({ mediaType: 'text/html' });
  });

  it('does not fetch an attachment from another host', async () => {
    server.play(plain(bytes));
    for (const elsewhere of [
      'https://evil.example.com/a.jpg',
      server.origin.replace('http:', 'https:'),
      '//evil.example.com/a',
      'http://',
      '',
    ]) {
      await expect(client.attachment(elsewhere)).rejects.toMatchObject({ failure: { kind: 'invalid-request' } });
    }
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['another host', 'https://evil.example.com/a.jpg'],
    ['another port', 'http://127.0.0.1:1/a.jpg'],
    ['nowhere', 'http://'],
    ['an endless redirect to itself', '#'],
  ])('does not follow a redirect to %s', async (_where, location) => {
    server.play(plain('', 302, { location }));
    await expect(client.attachment(url())).rejects.toMatchObject({ failure: { kind: 'unexpected-response' } });
  });

  it('returns not found for a deleted attachment', async () => {
    server.play(json({ type: 'OBJECT_NOT_FOUND' }, 404));
    await expect(client.attachment(url())).rejects.toMatchObject({ failure: { kind: 'not-found' } });
  });
});
