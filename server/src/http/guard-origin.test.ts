import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { guardOrigin } from './guard-origin.ts';

async function start(publicUrl?: string, trustProxy = false): Promise<FastifyInstance> {
  const app = fastify({ trustProxy });
  guardOrigin(app, publicUrl);
  app.post('/', () => 'done');
  app.get('/', () => 'done');
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return app;
}

/** Sends headers that `fetch` would not, such as `host`. */
function post(app: FastifyInstance, headers: Record<string, string>): Promise<number | undefined> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** Origins that resemble `scheme://host`, and are not it. */
const variants = (scheme: string, host: string, port: string) => [
  'null',
  '',
  `${scheme}://${host}/`,
  `${scheme}://${host}.`,
  `${scheme}://${host}:${port}`,
  `${scheme}://${host}:1`,
  `${scheme}://user@${host}`,
  `${scheme}://evil.example@${host}`,
  `${scheme}://${host}@evil.example`,
  `${scheme}://${host}.evil.example`,
  `${scheme}://evil.example/${scheme}://${host}`,
  `${scheme}://evil-${host}`,
  `${scheme}://sub.${host}`,
  `${scheme}://${host.toUpperCase()}`,
  `${scheme.toUpperCase()}://${host}`,
  `${scheme}:${host}`,
  `${scheme}://${host}#`,
  `${scheme}://${host}?`,
  `${scheme}://${host} `.trim().concat(' x'),
  `${scheme === 'https' ? 'http' : 'https'}://${host}`,
  `file://${host}`,
  host,
];

test('accepts only the origin of the public address, letter for letter', async () => {
  const app = await start('https://portal.example.com/');
  expect(await post(app, { origin: 'https://portal.example.com' })).toBe(200);
  for (const origin of variants('https', 'portal.example.com', '443'))
    expect([origin, await post(app, { origin })]).toEqual([origin, 403]);
  // Whatever host the request names.
  const host = 'evil.example';
  expect(await post(app, { host, origin: 'https://evil.example' })).toBe(403);
  expect(await post(app, { host, origin: 'https://portal.example.com' })).toBe(200);
});

test('a port of the public address is part of its origin, unless it is the default', async () => {
  const own = await start('https://portal.example.com:8443');
  expect(await post(own, { origin: 'https://portal.example.com:8443' })).toBe(200);
  expect(await post(own, { origin: 'https://portal.example.com' })).toBe(403);
  const usual = await start('https://Portal.example.com:443');
  expect(await post(usual, { origin: 'https://portal.example.com' })).toBe(200);
});

test("accepts only the origin of the request's scheme and host without a public address", async () => {
  const app = await start();
  const host = 'portal.internal';
  expect(await post(app, { host, origin: 'http://portal.internal' })).toBe(200);
  for (const origin of variants('http', host, '80'))
    expect([origin, await post(app, { host, origin })]).toEqual([origin, 403]);
});

test('uses the scheme that a trusted proxy names', async () => {
  const app = await start(undefined, true);
  const headers = { host: 'portal.internal', 'x-forwarded-proto': 'https' };
  expect(await post(app, { ...headers, origin: 'https://portal.internal' })).toBe(200);
  expect(await post(app, { ...headers, origin: 'http://portal.internal' })).toBe(403);
});

test("accepts what browsers mark as the page's own, and scripts, which send no origin", async () => {
  const app = await start('https://portal.example.com');
  expect(await post(app, {})).toBe(200);
  expect(await post(app, { 'sec-fetch-site': 'same-origin' })).toBe(200);
  for (const site of ['same-site', 'cross-site', 'Same-Origin', ''])
    expect(await post(app, { 'sec-fetch-site': site, origin: 'https://portal.example.com' })).toBe(403);
});
