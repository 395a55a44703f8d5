import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1' }] });
});
afterAll(() => server.stop());

async function readEncoding(path: string, accepted: string) {
  const { headers, text } = await server.client().send('GET', path, undefined, { 'accept-encoding': accepted });
  return { encoding: headers.get('content-encoding'), vary: headers.get('vary'), text };
}

it.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
])('a large response to a client that accepts %s is compressed with %s', async (accepted, encoding) => {
  const plain = await readEncoding('/openapi.json', 'identity');
  expect(plain.encoding).toBeNull();
  expect(await readEncoding('/openapi.json', accepted)).toEqual({
    encoding,
    vary: expect.stringContaining('accept-encoding'),
    text: plain.text,
  });
});

it('a small response is sent as it is', async () => {
  expect((await readEncoding('/healthz', 'br, gzip')).encoding).toBeNull();
});

it('a compressed request is not decompressed', async () => {
  const body = gzipSync(JSON.stringify({ environment: 'Production' })).toString('latin1');
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const response = await server.client().send('POST', '/portal-backend/api/apps', body, headers);
  expect(response.status).toBe(400);
});
