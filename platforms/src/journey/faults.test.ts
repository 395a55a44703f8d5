import { inspect } from 'node:util';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';
import { problemOf } from './problem-of.fixture.ts';
import {
  cut,
  halfOf,
  json,
  plain,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const password = new Secret('hunter2-hunter2');
const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';
const farmer = { id, type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };

let server: ScriptedServer;
const clientOf = () => createJourneyClient({ baseUrl: server.origin, userName, password, timeoutMs: 20_000 });

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

/** Of a write: what it means, and whether it may have been applied. */
const troubles: readonly [what: string, Script, JourneyFailure, mayBeApplied: boolean, RegExp][] = [
  [
    'wrong credentials',
    plain('HTTP Basic: Access denied.', 401),
    { kind: 'credentials-refused' },
    false,
    /does not accept these credentials/,
  ],
  ['what they may not do', json({ type: 'FORBIDDEN' }, 403), { kind: 'credentials-refused' }, false, /status 403/],
  ['429', json({}, 429), { kind: 'rate-limited', retryAfterMs: 1_000 }, false, /left alone for 1 s\.$/],
  [
    '429 for 7 s',
    plain('', 429, { 'retry-after': '7' }),
    { kind: 'rate-limited', retryAfterMs: 7_000 },
    false,
    /for 7 s\.$/,
  ],
  [
    '500',
    json({ type: 'INTERNAL_SERVER_ERROR' }, 500),
    { kind: 'server-trouble', status: 500, retryAfterMs: undefined },
    true,
    /status 500/,
  ],
  [
    '503 for a while',
    plain(page, 503, { 'retry-after': '2' }),
    { kind: 'server-trouble', status: 503, retryAfterMs: 2_000 },
    true,
    /status 503/,
  ],
  [
    'a request that came too slowly',
    plain('', 408),
    { kind: 'server-trouble', status: 408, retryAfterMs: undefined },
    true,
    /status 408/,
  ],
  [
    'an answer lost',
    cut,
    { kind: 'no-answer', timedOut: false },
    true,
    /broke off before its answer to PUT objects\/farmer\/.* was whole: the connection was cut\.$/,
  ],
  ['half an answer', halfOf(JSON.stringify(farmer)), { kind: 'no-answer', timedOut: false }, true, /broke off/],
  [
    'half a text',
    json(JSON.stringify(farmer).slice(0, 30)),
    { kind: 'unexpected-answer' },
    true,
    /something that is not JSON/,
  ],
  [
    'a web page',
    plain(page, 200, { 'content-type': 'text/html' }),
    { kind: 'unexpected-answer' },
    true,
    /web page \(status 200\)/,
  ],
  ['a web page in disguise', plain(`\n ${page}`), { kind: 'unexpected-answer' }, true, /web page \(status 200\)/],
  ["a proxy's 404", plain(page, 404), { kind: 'unexpected-answer' }, true, /web page \(status 404\)/],
  [
    "somebody's 400",
    json({ message: 'no' }, 400),
    { kind: 'unexpected-answer' },
    true,
    /status 400, which is not in Journey's way/,
  ],
  [
    'a redirect',
    plain('', 302, { location: '/login' }),
    { kind: 'unexpected-answer' },
    true,
    /elsewhere \(status 302\)/,
  ],
  ['304 unasked', plain('', 304), { kind: 'unexpected-answer' }, true, /status 304/],
  ['another shape', json({ farmer }), { kind: 'unexpected-answer' }, true, /something unexpected: id: /],
  [
    'broken characters',
    plain(Buffer.from(JSON.stringify({ ...farmer, name: 'é' }), 'latin1')),
    { kind: 'unexpected-answer' },
    true,
    /not JSON/,
  ],
  ['nothing', plain(''), { kind: 'unexpected-answer' }, true, /not JSON/],
  ['413', plain(page, 413), { kind: 'too-large', what: 'request' }, false, /finds PUT .* too large/],
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

describe.each(troubles)('%s', (_what, script, failure, mayBeApplied, sentence) => {
  it('is told by its kind, and said in a sentence', async () => {
    server.play(script);
    const problem = await problemOf(clientOf().put('farmer', id, { name: 'Thandi' }));
    expect(problem.failure).toEqual(failure);
    expect(problem).toMatchObject({ mayBeApplied, message: expect.stringMatching(sentence) });
    expect(problem.message).toContain(`Journey ${new URL(server.origin).host} `);
    expect(problem.status).toBe(failure.kind === 'invalid-request' ? 400 : failure.kind === 'not-found' ? 404 : 502);
  });

  it('leaves nothing open when nothing was to be written, and is not tried again', async () => {
    server.play(script);
    expect(await problemOf(clientOf().get('farmer', id))).toMatchObject({ failure, mayBeApplied: false });
    expect(server.seen).toHaveLength(1);
  });

  it('never carries the credentials', async () => {
    server.play(script);
    const problem = await problemOf(clientOf().put('farmer', id, {}));
    const said = inspect(problem, { depth: 10, showHidden: true }) + JSON.stringify(problem);
    expect(said).not.toContain('hunter2');
    expect(said).not.toContain(Buffer.from(`${userName}:${password.reveal()}`).toString('base64'));
  });
});
