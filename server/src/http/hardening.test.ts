import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { getEnvironments } from '@portal/contract/environments';
import { getSession } from '@portal/contract/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListingPlatform, startListingPlatform } from '../testing/listing-platform.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const password = 'pass phrase '.repeat(6);

let platform: ListingPlatform;
let server: TestServer;

beforeAll(async () => {
  platform = await startListingPlatform({ demo: password }, []);
  server = await startTestServer({ environments: [{ name: 'Production', baseUrl: platform.baseUrl }] });
});
afterAll(async () => {
  await server.stop();
  await platform.stop();
});

/** Sends bytes on a connection of their own, and returns the whole response. */
async function sendBytes(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(lines.join('\r\n'));
  return text(socket);
}

describe('requests', () => {
  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
  ])('with %s are refused', async (_, headers) => {
    const response = await sendBytes('POST /portal-backend/api/apps HTTP/1.1', 'Host: portal', ...headers, '', '{}');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('TRACE requests are refused, and their headers are not returned', async () => {
    const response = await sendBytes('TRACE / HTTP/1.1', 'Host: portal', 'X-Probe: echo', 'Connection: close', '', '');
    expect(response).toMatch(/^HTTP\/1\.1 404 /);
    expect(response).not.toContain('echo');
  });
});

describe('responses', () => {
  it('name JSON and its character set', async () => {
    const { headers } = await server.client().attempt(getEnvironments, undefined);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each(['GET', 'OPTIONS'])('responses to %s let no other site read them', async (method) => {
    const origin = 'https://elsewhere.example.com';
    const preflight = { origin, 'access-control-request-method': 'GET' };
    const { headers } = await server.client().send(method, getEnvironments.path, undefined, preflight);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

it('a password of more than 64 characters signs in', async () => {
  expect(password.length).toBeGreaterThan(64);
  const client = await server.signIn('demo', password);
  expect((await client.attempt(getSession, undefined)).status).toBe(200);
});
