import { inspect } from 'node:util';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catchProblem } from './catch-problem.fixture.ts';
import { createJourneyClient } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';
import {
  cut,
  json,
  plain,
  type Script,
  type ScriptedServer,
  sendHalf,
  startScriptedServer,
} from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const password = new Secret('hunter2-hunter2');
const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';
const farmer = { id, type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };

let server: ScriptedServer;
const createClient = () => createJourneyClient({ baseUrl: server.origin, userName, password, timeoutMs: 20_000 });

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

const notFound = {
  type: 'OBJECT_NOT_FOUND',
  title: 'Object not found',
  detail: `No farmer found with ID: '${id}'`,
  see: '',
};
const page = '<!doctype html><html><body><h1>We will be back soon</h1></body></html>';

/** What the fault means and whether a write may have been applied. */
const faultCases: readonly [what: string, Script, JourneyFailure, mayBeApplied: boolean, RegExp][] = [
  [
    'wrong credentials',
    plain('HTTP Basic: Access denied.', 401),
    { kind: 'credentials-rejected' },
    false,
    /does not accept these credentials/,
  ],
  ['missing permission', json({ type: 'FORBIDDEN' }, 403), { kind: 'credentials-rejected' }, false, /status 403/],
  [
    "a firewall's 403",
    plain(page, 403, { 'content-type': 'text/html; charset=utf-8' }),
    { kind: 'unexpected-response' },
    true,
    /web page \(status 403, text\/html: "We will be back soon"\) instead of data\.$/,
  ],
  [
    "a gateway's 403 in JSON",
    json({ message: 'Forbidden' }, 403),
    { kind: 'unexpected-response' },
    true,
    /without data or a Journey error \(status 403, application\/json: "\{"message":"Forbidden"\}"\)\.$/,
  ],
  ["a proxy's 401", plain(page, 401), { kind: 'unexpected-response' }, true, /web page \(status 401, text\/plain: /],
  [
    "a proxy's 502",
    plain(page, 502, { 'content-type': 'text/html' }),
    { kind: 'server-error', status: 502, retryAfterMs: undefined },
    true,
    /with status 502, text\/html: "We will be back soon"\.$/,
  ],
  ['429', json({}, 429), { kind: 'rate-limited', retryAfterMs: 1_000 }, false, /a pause of 1 s\.$/],
  [
    '429 for 7 s',
    plain('', 429, { 'retry-after': '7' }),
    { kind: 'rate-limited', retryAfterMs: 7_000 },
    false,
    /of 7 s\.$/,
  ],
  [
    '500',
    json({ type: 'INTERNAL_SERVER_ERROR' }, 500),
    { kind: 'server-error', status: 500, retryAfterMs: undefined },
    true,
    /status 500/,
  ],
  [
    'a temporary 503',
    plain(page, 503, { 'retry-after': '2' }),
    { kind: 'server-error', status: 503, retryAfterMs: 2_000 },
    true,
    /status 503/,
  ],
  [
    'a request that arrived too slowly',
    plain('', 408),
    { kind: 'server-error', status: 408, retryAfterMs: undefined },
    true,
    /status 408/,
  ],
  [
    'a lost response',
    cut,
    { kind: 'no-response', timedOut: false },
    true,
    /closed the connection during its response to PUT objects\/farmer\/.*: the connection was closed\.$/,
  ],
  [
    'half a response',
    sendHalf(JSON.stringify(farmer)),
    { kind: 'no-response', timedOut: false },
    true,
    /closed the connection during/,
  ],
  [
    'half a JSON text',
    json(JSON.stringify(farmer).slice(0, 30)),
    { kind: 'unexpected-response' },
    true,
    /something that is not JSON/,
  ],
  [
    'a web page',
    plain(page, 200, { 'content-type': 'text/html' }),
    { kind: 'unexpected-response' },
    true,
    /web page \(status 200, text\/html: "We will be back soon"\)/,
  ],
  ['a web page labeled as JSON', plain(`\n ${page}`), { kind: 'unexpected-response' }, true, /web page \(status 200, /],
  ["a proxy's 404", plain(page, 404), { kind: 'unexpected-response' }, true, /web page \(status 404, /],
  [
    "another server's 400",
    json({ message: 'no' }, 400),
    { kind: 'unexpected-response' },
    true,
    /without data or a Journey error \(status 400, /,
  ],
  [
    'a redirect',
    plain('', 302, { location: '/login' }),
    { kind: 'unexpected-response' },
    true,
    /another address \(status 302\)/,
  ],
  ['an unrequested 304', plain('', 304), { kind: 'unexpected-response' }, true, /status 304/],
  ['another shape', json({ farmer }), { kind: 'unexpected-response' }, true, /an unexpected response: id: /],
  [
    'invalid characters',
    plain(Buffer.from(JSON.stringify({ ...farmer, name: 'é' }), 'latin1')),
    { kind: 'unexpected-response' },
    true,
    /not JSON/,
  ],
  ['nothing', plain(''), { kind: 'unexpected-response' }, true, /not JSON/],
  ['413', plain(page, 413), { kind: 'too-large', what: 'request' }, false, /rejects PUT .* as too large/],
  [
    '400',
    json({ type: 'INVALID_API_REQUEST', title: 'Bad', detail: null }, 400),
    { kind: 'invalid-request', type: 'INVALID_API_REQUEST' },
    false,
    /: Bad$/,
  ],
  [
    '422',
    json({ type: 'INVALID_VALUE', detail: 'Invalid option "x" for field \'status\'.' }, 422),
    { kind: 'invalid-request', type: 'INVALID_VALUE' },
    false,
    /Invalid option "x"/,
  ],
  ['404', json(notFound, 404), { kind: 'not-found', type: 'OBJECT_NOT_FOUND' }, false, /No farmer found with ID/],
  [
    'an unknown deployment',
    json({ type: 'ACCOUNT_NOT_FOUND' }, 404),
    { kind: 'not-found', type: 'ACCOUNT_NOT_FOUND' },
    false,
    /ACCOUNT_NOT_FOUND$/,
  ],
];

describe.each(faultCases)('Journey call answered with %s', (_what, script, failure, mayBeApplied, sentence) => {
  it('throws a problem of the right kind with a readable message', async () => {
    server.play(script);
    const problem = await catchProblem(createClient().put('farmer', id, { name: 'Thandi' }));
    expect(problem.failure).toEqual(failure);
    expect(problem).toMatchObject({ mayBeApplied, message: expect.stringMatching(sentence) });
    expect(problem.message).toContain(`Journey ${new URL(server.origin).host} `);
    expect(problem.status).toBe(failure.kind === 'invalid-request' ? 400 : failure.kind === 'not-found' ? 404 : 502);
  });

  it('never leaves a read in doubt, and is not retried', async () => {
    server.play(script);
    expect(await catchProblem(createClient().get('farmer', id))).toMatchObject({ failure, mayBeApplied: false });
    expect(server.seen).toHaveLength(1);
  });

  it('never includes the credentials', async () => {
    server.play(script);
    const problem = await catchProblem(createClient().put('farmer', id, {}));
    const printed = inspect(problem, { depth: 10, showHidden: true }) + JSON.stringify(problem);
    expect(printed).not.toContain('hunter2');
    expect(printed).not.toContain(Buffer.from(`${userName}:${password.reveal()}`).toString('base64'));
  });
});

it.each<[string, (authorization: string) => string]>([
  ['the header', (authorization) => `<p>Refused: ${authorization}</p>`],
  ['the password', () => 'Refused: hunter2-hunter2'],
])('describes an answer that repeats %s without its words', async (_what, repeat) => {
  server.play((response, request, socket) =>
    plain(repeat(request.headers.authorization ?? ''), 403)(response, request, socket),
  );
  const problem = await catchProblem(createClient().info());
  expect(problem.message).toMatch(/\(status 403, text\/plain\)\.$/);
});
