import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { findFreePort } from '@portal/kit/ports';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient, type JourneyClientOptions } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';
import { problemOf } from './problem-of.fixture.ts';
import { hang, json, plain, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const password = new Secret('hunter2-hunter2');
const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';
const farmer = { id, type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };

let server: ScriptedServer;
const clientOf = (other: Partial<JourneyClientOptions> = {}) =>
  createJourneyClient({ baseUrl: server.origin, userName, password, timeoutMs: 20_000, ...other });

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

describe('no answer in time', () => {
  it.each<[string, Script]>([
    ['at all', hang],
    ['after its head', (response) => response.writeHead(200, { 'content-length': 100 }).write('{')],
  ])('%s is a time-out, after which a write may be applied', async (_when, script) => {
    server.play(script);
    expect(await problemOf(clientOf({ timeoutMs: 50 }).put('farmer', id, {}))).toMatchObject({
      failure: { kind: 'no-answer', timedOut: true },
      status: 504,
      mayBeApplied: true,
      message: expect.stringMatching(/did not answer PUT .* within 0\.05 s\.$/),
    });
  });
});

it('an answer without end is not read to it', async () => {
  server.play((response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    };
    response.on('drain', more);
    more();
  });
  expect(await problemOf(clientOf({ maxAnswerBytes: 100_000 }).info())).toMatchObject({
    failure: { kind: 'too-large', what: 'answer' },
    message: expect.stringContaining('more than 100000 bytes'),
  });
});

describe('an answer that comes packed', () => {
  const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

  it('is unpacked, and only what we can unpack is asked for', async () => {
    server.play(plain(gzipSync(JSON.stringify(farmer)), 200, packed));
    expect(await clientOf().get('farmer', id)).toMatchObject({ name: 'Thandi' });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('is measured by what is in it', async () => {
    server.play(plain(gzipSync(' '.repeat(1_000_000)), 200, packed));
    expect(await problemOf(clientOf({ maxAnswerBytes: 100_000 }).info())).toMatchObject({
      failure: { kind: 'too-large', what: 'answer' },
    });
  });

  it('may have nothing in it', async () => {
    server.play(plain('', 304, { ...packed, etag: '"same"' }));
    expect(await clientOf().dataModel({ etag: '"same"' })).toBe('unchanged');
    server.play(plain('', 204, packed));
    await clientOf().remove('farmer', id);
  });

  it.each([
    ['in its middle', gzipSync(JSON.stringify(farmer)).subarray(0, 40)],
    ['and was never packed', Buffer.from(JSON.stringify(farmer))],
  ])('is no answer when it ends %s', async (_where, body) => {
    server.play(plain(body, 200, packed));
    expect(await problemOf(clientOf().put('farmer', id, {}))).toMatchObject({
      failure: { kind: 'no-answer', timedOut: false },
      mayBeApplied: true,
    });
  });
});

describe('without a connection nothing was sent', () => {
  it.each([
    ['nobody listens', async () => `http://127.0.0.1:${await findFreePort()}`, 'nobody listens there'],
    [
      'nobody listens at any of its addresses',
      async () => `http://localhost:${await findFreePort()}`,
      'nobody listens there',
    ],
    ['the name is unknown', async () => 'http://journey.invalid', /name (is unknown|could not be looked up)/],
  ])('%s', async (_what, baseUrl, reason) => {
    const problem = await problemOf(clientOf({ baseUrl: await baseUrl() }).put('farmer', id, {}));
    expect(problem).toMatchObject({ failure: { kind: 'unreachable' }, mayBeApplied: false });
    expect(problem.message).toMatch(reason);
  });
});

describe('a connection that fails', () => {
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const reset = Object.assign(new Error('no'), { code: 'ECONNRESET', syscall: 'read' });

  it.each<[string, Error, JourneyFailure['kind']]>([
    ['at each of its addresses', new AggregateError([refused, refused]), 'unreachable'],
    ['at one, and later at another', new AggregateError([refused, reset]), 'no-answer'],
    ['for its certificate', Object.assign(new Error('no'), { code: 'CERT_HAS_EXPIRED' }), 'unreachable'],
    ['before it is there', Object.assign(new Error('no'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), 'unreachable'],
    ['while it is used', reset, 'no-answer'],
    ['for a reason nobody knows', new Error('no'), 'no-answer'],
  ])('%s: only when nothing can have been sent, nothing is open', async (_where, cause, kind) => {
    const fails = () => Promise.reject(cause);
    const problem = await problemOf(clientOf({ request: fails }).put('farmer', id, {}));
    expect(problem).toMatchObject({ failure: { kind }, mayBeApplied: kind === 'no-answer' });
  });
});

describe('given up by the caller', () => {
  const reason = new Error('not needed any more');

  it('a call ends with the reason, and lets go of the signal', async () => {
    const giveUp = new AbortController();
    server.play(() => giveUp.abort(reason));
    await expect(clientOf().put('farmer', id, {}, { signal: giveUp.signal })).rejects.toBe(reason);
    expect(getEventListeners(giveUp.signal, 'abort')).toEqual([]);
  });

  it('a call is not begun', async () => {
    server.play(json(farmer));
    await expect(clientOf().get('farmer', id, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.seen).toEqual([]);
  });

  it('a signal that lives long keeps no trace of the calls it was with', async () => {
    const { signal } = new AbortController();
    server.play(json(farmer));
    await clientOf().get('farmer', id, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it.each<[string, (client: JourneyClient) => Promise<unknown>]>([
  ['a model', (client) => client.get('../users', id)],
  ['an object', (client) => client.remove('farmer', '..')],
  ['no object', (client) => client.remove('farmer', '')],
  ['a user', (client) => client.lockUser('..')],
  ['a session', (client) => client.wipe(id, 'a/b')],
  [
    'more than a thousand operations',
    (client) =>
      client.batch(Array.from({ length: 1_001 }, () => ({ method: 'delete', object: { type: 'farmer', id } }))),
  ],
])('%s that cannot be is refused before anything is sent', async (_what, call) => {
  server.play(json({}));
  expect(await problemOf(call(clientOf()))).toMatchObject({
    failure: { kind: 'invalid-request', type: 'INVALID_API_REQUEST' },
    mayBeApplied: false,
  });
  expect(server.seen).toEqual([]);
});
