import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { findFreePort } from '@portal/kit/ports';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catchProblem } from './catch-problem.fixture.ts';
import { createJourneyClient, type JourneyClient, type JourneyClientOptions } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';
import { hang, json, plain, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const password = new Secret('hunter2-hunter2');
const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';
const farmer = { id, type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };

let server: ScriptedServer;
const createClient = (other: Partial<JourneyClientOptions> = {}) =>
  createJourneyClient({ baseUrl: server.origin, userName, password, timeoutMs: 20_000, ...other });

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

describe('Journey call without a response in time', () => {
  it.each<[string, Script]>([
    ['at all', hang],
    ['after its head', (response) => response.writeHead(200, { 'content-length': 100 }).write('{')],
  ])('reports a time-out %s and that a write may be applied', async (_when, script) => {
    server.play(script);
    expect(await catchProblem(createClient({ timeoutMs: 50 }).put('farmer', id, {}))).toMatchObject({
      failure: { kind: 'no-response', timedOut: true },
      status: 504,
      mayBeApplied: true,
      message: expect.stringMatching(/did not respond to PUT .* within 0\.05 s\.$/),
    });
  });
});

it('stops reading an endless response', async () => {
  server.play((response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    };
    response.on('drain', more);
    more();
  });
  expect(await catchProblem(createClient({ maxResponseBytes: 100_000 }).info())).toMatchObject({
    failure: { kind: 'too-large', what: 'response' },
    message: expect.stringContaining('more than 100000 bytes'),
  });
});

describe('compressed Journey response', () => {
  const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

  it('decompresses supported encodings and requests only those', async () => {
    server.play(plain(gzipSync(JSON.stringify(farmer)), 200, packed));
    expect(await createClient().get('farmer', id)).toMatchObject({ name: 'Thandi' });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('measures the decompressed size', async () => {
    server.play(plain(gzipSync(' '.repeat(1_000_000)), 200, packed));
    expect(await catchProblem(createClient({ maxResponseBytes: 100_000 }).info())).toMatchObject({
      failure: { kind: 'too-large', what: 'response' },
    });
  });

  it('accepts an empty body', async () => {
    server.play(plain('', 304, { ...packed, etag: '"same"' }));
    expect(await createClient().dataModel({ etag: '"same"' })).toBe('unchanged');
    server.play(plain('', 204, packed));
    await createClient().remove('farmer', id);
  });

  it.each([
    ['in the middle of the body', gzipSync(JSON.stringify(farmer)).subarray(0, 40)],
    ['that was never compressed', Buffer.from(JSON.stringify(farmer))],
  ])('rejects a compressed response that ends %s', async (_where, body) => {
    server.play(plain(body, 200, packed));
    expect(await catchProblem(createClient().put('farmer', id, {}))).toMatchObject({
      failure: { kind: 'no-response', timedOut: false },
      mayBeApplied: true,
    });
  });
});

describe('connection error before sending', () => {
  it.each([
    ['a refused connection', async () => `http://127.0.0.1:${await findFreePort()}`, 'connection refused'],
    [
      'a refused connection at each address',
      async () => `http://localhost:${await findFreePort()}`,
      'connection refused',
    ],
    ['an unknown host name', async () => 'http://journey.invalid', /unknown host name|host name could not be resolved/],
  ])('reports %s as unreachable', async (_what, baseUrl, reason) => {
    const problem = await catchProblem(createClient({ baseUrl: await baseUrl() }).put('farmer', id, {}));
    expect(problem).toMatchObject({ failure: { kind: 'unreachable' }, mayBeApplied: false });
    expect(problem.message).toMatch(reason);
  });
});

describe('failing connection', () => {
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const reset = Object.assign(new Error('no'), { code: 'ECONNRESET', syscall: 'read' });

  it.each<[string, Error, JourneyFailure['kind']]>([
    ['fails at each of its addresses', new AggregateError([refused, refused]), 'unreachable'],
    ['fails at one address and later at another', new AggregateError([refused, reset]), 'no-response'],
    ['fails because of its certificate', Object.assign(new Error('no'), { code: 'CERT_HAS_EXPIRED' }), 'unreachable'],
    [
      'fails before it is established',
      Object.assign(new Error('no'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      'unreachable',
    ],
    ['fails while in use', reset, 'no-response'],
    ['fails for an unknown reason', new Error('no'), 'no-response'],
  ])('knows whether a write may be applied when the connection %s', async (_where, cause, kind) => {
    const fails = () => Promise.reject(cause);
    const problem = await catchProblem(createClient({ request: fails }).put('farmer', id, {}));
    expect(problem).toMatchObject({ failure: { kind }, mayBeApplied: kind === 'no-response' });
  });
});

describe('aborted Journey call', () => {
  const reason = new Error('no longer needed');

  it('ends with the signal’s reason and removes its listener', async () => {
    const giveUp = new AbortController();
    server.play(() => giveUp.abort(reason));
    await expect(createClient().put('farmer', id, {}, { signal: giveUp.signal })).rejects.toBe(reason);
    expect(getEventListeners(giveUp.signal, 'abort')).toEqual([]);
  });

  it('does not start when the signal is already aborted', async () => {
    server.play(json(farmer));
    await expect(createClient().get('farmer', id, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.seen).toEqual([]);
  });

  it('leaves nothing behind on a long-lived signal', async () => {
    const { signal } = new AbortController();
    server.play(json(farmer));
    await createClient().get('farmer', id, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it.each<[string, (client: JourneyClient) => Promise<unknown>]>([
  ['a model', (client) => client.get('../users', id)],
  ['an object', (client) => client.remove('farmer', '..')],
  ['an object id', (client) => client.remove('farmer', '')],
  ['a user', (client) => client.lockUser('..')],
  ['a session', (client) => client.wipe(id, 'a/b')],
  [
    'more than a thousand operations',
    (client) =>
      client.batch(Array.from({ length: 1_001 }, () => ({ method: 'delete', object: { type: 'farmer', id } }))),
  ],
])('rejects an invalid %s before sending anything', async (_what, call) => {
  server.play(json({}));
  expect(await catchProblem(call(createClient()))).toMatchObject({
    failure: { kind: 'invalid-request', type: 'INVALID_API_REQUEST' },
    mayBeApplied: false,
  });
  expect(server.seen).toEqual([]);
});
