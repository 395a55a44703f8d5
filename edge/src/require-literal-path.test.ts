// cspell:ignore detrics fapi flist iles fmetrics
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from '@portal/kit/logger';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpApp } from './http-app.ts';

let app: FastifyInstance;
let port: number;

beforeAll(async () => {
  app = createHttpApp({
    logger: createLogger({ name: 'test', level: 'fatal' }),
    words: { name: 'The test', database: 'The database', log: 'the log' },
  });
  app.get('/metrics', () => 'metrics');
  app.get('/sync/api/list', () => 'list');
  app.get<{ Params: { appId: string } }>('/sync/api/get/:appId', ({ params }) => `value ${params.appId}`);
  app.get<{ Params: { '*': string } }>('/files/*', ({ params }) => `file ${params['*']}`);
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(() => app.close());

/** Sends a path exactly as it is written, which no client library does. */
async function send(path: string): Promise<{ status: number; body: string }> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
}

test.each([
  ['/metrics', 'metrics'],
  ['/metrics/', 'metrics'],
  ['/metrics?a=%2e%2e/%6d', 'metrics'],
  ['/sync/api/list', 'list'],
  ['/sync/api/get/a', 'value a'],
  ['/sync/api/get/a/', 'value a'],
  ['/sync/api/get/%61', 'value a'],
  ['/sync/api/get/a%2Fb%5Cc', 'value a/b\\c'],
  ['/sync/api/get/%2561', 'value %61'],
  ['/sync/api/get/...', 'value ...'],
  ['/files/a/b.js', 'file a/b.js'],
])('%s is served', async (path, body) => {
  expect(await send(path)).toEqual({ status: 200, body });
});

test.each([
  '/%6detrics',
  '/%6Detrics',
  '/metric%73',
  '/metric%73?a=1',
  '/%256detrics',
  '//metrics',
  '/metrics//',
  '/./metrics',
  '/METRICS',
  '/metrics;a=1',
  '/metrics#a',
  '/metrics%2f',
  '/metrics%00',
  '/\\metrics',
  'http://127.0.0.1/metrics',
  '/sync/api/%6cist',
  '/sync/%61pi/list',
  '/s%79nc/api/list',
  '/sync%2fapi/list',
  '/sync/api%2Flist',
  '/sync\\api\\list',
  '/sync/api/%67et/a',
  '/sync/api/%2567et/a',
  '/sync/x/../api/list',
  '/sync/x/%2e%2e/api/list',
  '/sync/api/get/..',
  '/sync/api/get/%2e%2E',
  '/sync/api/get/.%2e',
  '/sync/api/get/%2e',
  '/sync/api/get/..\\list',
  '/%66iles/a',
  '/files/%61',
  '/files/..%2fmetrics',
  '/files/../metrics',
  '/files/a\\b',
])('%s is nothing, because it is not the literal spelling of a path', async (path) => {
  const { status, body } = await send(path);
  expect([400, 404]).toContain(status);
  expect(JSON.parse(body)).toMatchObject({ message: expect.any(String) });
});
