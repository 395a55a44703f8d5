import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { getConfig } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { endpoints } from '@portal/contract/endpoints';
import { problemSchema } from '@portal/contract/problem';
import { needsSession } from '@portal/contract/rules';
import { deleteSession, getSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient, type TestResponse } from '../testing/test-client.ts';
import { startTestServer } from '../testing/test-server.ts';

let world: SmallWorld;
let appId: string;
let signedIn: TestClient;
let stranger: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({
    platformTimeoutSeconds: 0.5,
    metricsToken: 'let-me-read-metrics',
    times: { platforms: { firstProbeMs: 100, maxProbePauseMs: 100 } },
  });
  appId = world.helium.app('Clinic Visits').id;
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.helium.faults.clear();
  signedIn = await world.server.signIn('demo', 'demo');
  stranger = world.server.client();
});

/** Checks that every error has the same shape, with the response's request id. */
function expectProblem(response: TestResponse, status: number, kind: string): string {
  expect(response.status).toBe(status);
  const problem = problemSchema.parse(parseProblem(response));
  expect(problem.kind).toBe(kind);
  expect(problem.requestId).toBe(response.headers.get('x-request-id'));
  return problem.message;
}

describe('unknown paths', () => {
  it('return an error of the same shape everywhere', async () => {
    expect(expectProblem(await signedIn.send('GET', '/nowhere?x=1'), 404, 'not-found')).toBe(
      'There is nothing at /nowhere.',
    );
    expectProblem(await signedIn.send('GET', '/portal-backend/api/nothing'), 404, 'not-found');
    expectProblem(await signedIn.attempt(getConfig, { appId: 'not-an-app' }), 404, 'not-found');
    const wrongMethod = await signedIn.send('DELETE', getApps.path);
    expect(expectProblem(wrongMethod, 405, 'not-found')).toBe(`${getApps.path} does not support DELETE, only POST.`);
    expect(wrongMethod.headers.get('allow')).toBe('POST');
  });

  it('an invalid or too long address returns the same kind of error', async () => {
    expect(expectProblem(await stranger.send('GET', '/%'), 400, 'invalid')).toBe('The address is not a valid URL.');
    expectProblem(await stranger.send('GET', `/portal-backend/ws/${'a'.repeat(500)}`), 414, 'invalid');
  });

  it('a refused request is logged with its id and the reason', async () => {
    const { requestId } = parseProblem(await stranger.send('GET', '/%'));
    const lines = world.server.logged().split('\n');
    const [line = ''] = lines.filter((each) => each.includes(`"requestId":"${requestId}"`));
    expect(JSON.parse(line)).toMatchObject({ status: 400, reason: 'The address is not a valid URL.' });
  });

  it('accept a trailing slash, and its absence', async () => {
    expect((await signedIn.send('GET', `${getSession.path}/`)).status).toBe(200);
    for (const path of [getConfig.path, '/portal-backend/api/config/get-config'])
      expect((await signedIn.send('POST', path, JSON.stringify({ appId }))).status).toBe(200);
  });
});

describe('request payloads', () => {
  it('must be JSON that matches the contract', async () => {
    const send = (body: string) => signedIn.send('POST', getConfig.path, body);
    expect(expectProblem(await send('{"appId":'), 400, 'invalid')).toBe('The request is not valid JSON.');
    expect(parseProblem(await send('{"appId":7}')).fields).toEqual({ appId: expect.stringContaining('string') });
    expect(parseProblem(await send('{}')).fields).toHaveProperty('appId');
    expectProblem(await send('[]'), 400, 'invalid');
    expectProblem(await send('null'), 400, 'invalid');
    expectProblem(await send('{"appId":"x","__proto__":{"a":1}}'), 400, 'invalid');
    expectProblem(await signedIn.send('POST', getConfig.path), 400, 'invalid');
  });

  it('must have a JSON content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      expectProblem(await signedIn.send('POST', getApps.path, '{}', { 'content-type': type }), 415, 'invalid');
    }
  });

  it('must not contain characters that PostgreSQL cannot store', async () => {
    for (const userName of ['a\0', 'a\ud800', '\udc00a']) {
      const credentials = { userName, password: 'x' };
      expectProblem(await stranger.attempt(getApps, { credentials, baseUrl: world.baseUrl }), 400, 'invalid');
    }
    const emoji = { userName: 'grün 🚜', password: 'x' };
    expect((await stranger.attempt(getApps, { credentials: emoji, baseUrl: world.baseUrl })).status).toBe(401);
    expectProblem(await signedIn.send('GET', `${getAudit.path}?search=%00`), 400, 'invalid');
    const dashboard = '/portal-backend/api/sync-dashboard/a%00';
    expectProblem(await signedIn.send('GET', dashboard), 400, 'invalid');
    expectProblem(await signedIn.send('DELETE', dashboard), 400, 'invalid');
    const authorization = `Basic ${Buffer.from('a\0:b').toString('base64')}`;
    expect((await stranger.send('GET', getSession.path, undefined, { authorization })).status).toBe(401);
  });

  it('must not contain credentials beyond the length limit', async () => {
    const authorization = `Basic ${Buffer.from(`${randomBytes(5_000).toString('hex')}:b`).toString('base64')}`;
    expect((await stranger.send('GET', getSession.path, undefined, { authorization })).status).toBe(401);
  });

  it('a request that is not HTTP is refused', async () => {
    const { hostname, port } = new URL(world.server.url);
    const socket = connect(Number(port), hostname);
    socket.end('NONSENSE\r\n\r\n');
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1.1 400 /);
    expect((await signedIn.attempt(getSession, undefined)).status).toBe(200);
  });

  it('payloads in a query are validated as well', async () => {
    expectProblem(await signedIn.send('GET', `${getAudit.path}?outcome=perhaps`), 400, 'invalid');
    expectProblem(await signedIn.send('GET', `${getAudit.path}?search=a&search=b`), 400, 'invalid');
    for (const from of ['yesterday', '1', '2026-02-30T25:00Z', '+275760-09-13', 'Sat']) {
      expectProblem(await signedIn.attempt(getAudit, { from }), 400, 'invalid');
    }
    expect((await signedIn.attempt(getAudit, { from: '2026-02-30' })).status).toBeLessThan(500);
    expect((await signedIn.attempt(getAudit, { from: '2026-01-01', to: '2026-01-02T03:04:05.678+02:00' })).status).toBe(
      200,
    );
  });
});

describe('callers', () => {
  it('must be signed in on every endpoint that is not open', async () => {
    const closed = endpoints.filter(({ may }) => needsSession(may));
    expect(closed.length).toBeGreaterThan(10);
    for (const { method, path } of closed) {
      const response = await stranger.send(method, path, method === 'GET' ? undefined : '{}');
      expect(expectProblem(response, 401, 'not-signed-in'), path).toContain('not signed in');
    }
    expectProblem(await stranger.send('POST', getApps.path, '{}'), 401, 'not-signed-in');
    expectProblem(await stranger.send('GET', '/metrics'), 401, 'not-signed-in');
  });

  it('must not claim another user, another environment or an unconfigured address', async () => {
    const send = (claim: object) =>
      signedIn.send('POST', '/portal-backend/api/config/undo', JSON.stringify({ appId, ...claim }));
    expectProblem(await send({ username: 'admin' }), 403, 'refused');
    expectProblem(await send({ credentials: { userName: 'admin', password: 'x' } }), 403, 'refused');
    expectProblem(await send({ baseUrl: 'http://169.254.169.254/' }), 400, 'invalid');
    expectProblem(
      await send({ username: 'demo', baseUrl: world.baseUrl.toUpperCase().replace('HTTP', 'http') }),
      404,
      'not-found',
    );
  });

  it('can send platform credentials for one request, without opening a session', async () => {
    const script = world.server.client();
    script.headers.authorization = `Basic ${btoa('health.dev:health')}`;
    const response = await script.attempt(getSession, undefined);
    expect(JSON.parse(response.text)).toMatchObject({ username: 'health.dev' });
    expect(response.headers.has('set-cookie')).toBe(false);
    expect(await script.call(getApps, {})).toHaveLength(1);
    script.headers.authorization = `Basic ${btoa('health.dev:wrong')}`;
    expectProblem(await script.attempt(getSession, undefined), 401, 'not-signed-in');
  });
});

describe('pages of another site', () => {
  it("cannot make unsafe requests with a visitor's session", async () => {
    const tries: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: world.server.url },
    ];
    for (const headers of tries) {
      expectProblem(await signedIn.send('DELETE', deleteSession.path, undefined, headers), 403, 'refused');
    }
    expect((await signedIn.send('POST', getApps.path, '{}', { origin: world.server.url })).status).toBe(200);
    expect((await signedIn.send('POST', getApps.path, '{}', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('cannot open sockets', async () => {
    const url = `${world.server.url.replace('http', 'ws')}/portal-backend/ws/${appId}`;
    const socket = new WebSocket(url, { headers: { ...signedIn.cookieHeaders, origin: 'https://evil.example' } });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
  });
});

describe('sockets', () => {
  const open = (headers: Record<string, string>) =>
    new WebSocket(`${world.server.url.replace('http', 'ws')}/portal-backend/ws/${appId}`, { headers });

  it('closes sockets with the private code when the cookie is of a session that has ended', async () => {
    const client = await world.server.signIn('demo', 'demo');
    const { cookieHeaders } = client;
    await client.call(deleteSession, undefined);
    const [code] = await once(open(cookieHeaders), 'close');
    expect(code).toBe(4401);
  });

  it('closes sockets with the private code when their session expires or ends on another node', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const node = await startTestServer({ environments, freshness: { recheckMs: 10 } });
    onTestFinished(() => node.stop());
    const client = await node.signIn('demo', 'demo');
    const url = `${node.url.replace('http', 'ws')}/portal-backend/ws/${appId}`;
    const socket = new WebSocket(url, { headers: client.cookieHeaders });
    await once(socket, 'open');
    const closing = once(socket, 'close');
    await node.dependencies.pool.query("update session set expires_at = now() - interval '1 second'");
    expect((await closing)[0]).toBe(4401);
  });

  it('limits the number of sockets per user and the size of their frames', async () => {
    const sockets = Array.from({ length: 51 }, () => open(signedIn.cookieHeaders));
    const codes = Promise.all(sockets.map(async (socket) => (await once(socket, 'close'))[0]));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    sockets[0]?.send('x'.repeat(20_000));
    for (const socket of sockets.slice(1)) socket.close();
    const closed = await codes;
    expect(closed[0]).toBe(1009);
    expect(closed.filter((code) => code === 4429)).toHaveLength(1);
  });

  it('closes sockets with the private code when their session ends', async () => {
    const socket = open(signedIn.cookieHeaders);
    await once(socket, 'open');
    const closing = once(socket, 'close');
    await signedIn.call(deleteSession, undefined);
    expect((await closing)[0]).toBe(4401);
  });
});

describe('server shutdown', () => {
  it('asks sockets to reconnect, and does not wait for silent ones', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const node = await startTestServer({ environments });
    const client = await node.signIn('demo', 'demo');
    const url = `${node.url.replace('http', 'ws')}/portal-backend/ws/${appId}`;
    const [polite, silent] = [1, 2].map(() => new WebSocket(url, { headers: client.cookieHeaders }));
    await Promise.all([polite, silent].map((socket) => socket && once(socket, 'open')));
    silent?.pause();
    const closed = polite && once(polite, 'close');
    await node.stop();
    expect((await closed)?.[0]).toBe(1001);
    silent?.terminate();
  });
});

describe('failing platform', () => {
  it.each([
    ['refuse', 502, 'the connection was closed'],
    ['html', 502, 'with a web page (status 200) instead of data'],
    ['error500', 502, 'with status 500'],
    ['half-body', 502, 'closed the connection during its response'],
  ] as const)('a platform that responds with %s is reported at sign-in and on request', async (mode, status, words) => {
    world.helium.faults.set({ mode });
    const credentials = { userName: 'demo', password: 'demo' };
    const signIn = await stranger.attempt(getApps, { credentials, baseUrl: world.baseUrl });
    expect(expectProblem(signIn, status, 'unreachable')).toContain(words);
    const reload = { 'cache-control': 'no-cache' };
    expectProblem(await signedIn.send('POST', getApps.path, '{}', reload), status, 'unreachable');
    expect((await signedIn.attempt(getApps, {})).status).toBe(200);
    world.helium.faults.clear();
    expect((await signedIn.attempt(getConfig, { appId })).status).toBe(200);
  });

  it('a platform that hangs is reported at sign-in, and then at once until it answers', async () => {
    world.helium.faults.set({ mode: 'hang' });
    const credentials = { userName: 'demo', password: 'demo' };
    const signIn = () => stranger.attempt(getApps, { credentials, baseUrl: world.baseUrl });
    expect(expectProblem(await signIn(), 504, 'unreachable')).toContain('did not respond');
    expect(expectProblem(await signIn(), 502, 'unreachable')).toContain('has not answered since');
    expect((await signedIn.attempt(getApps, {})).status).toBe(200);
    expectProblem(await signedIn.attempt(getConfig, { appId }), 502, 'unreachable');
    world.helium.faults.clear();
    await expect.poll(async () => (await signedIn.attempt(getConfig, { appId })).status).toBe(200);
  });
});

describe('security headers', () => {
  it('forbid foreign scripts, framing, content sniffing and caching', async () => {
    const page = (await stranger.send('GET', '/api-docs/')).headers.get('content-security-policy') ?? '';
    expect(page).toContain("script-src 'self';");
    expect(page).toContain("frame-ancestors 'none'");
    expect(page).not.toMatch(/script-src[^;]*unsafe/);
    const { headers } = await signedIn.attempt(getSession, undefined);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect((await stranger.send('POST', getApps.path, '{')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('operational endpoints', () => {
  it('health is open, metrics require authentication', async () => {
    expect(JSON.parse((await stranger.send('GET', '/healthz')).text)).toEqual({ status: 'ok' });
    expect(JSON.parse((await stranger.send('GET', '/readyz')).text)).toMatchObject({ ready: true, reasons: [] });
    const metrics = await stranger.send('GET', '/metrics', undefined, { authorization: 'Bearer let-me-read-metrics' });
    expect(metrics.status).toBe(200);
    expect(metrics.text).toContain('portal_http_request_duration_seconds_bucket');
    expect(metrics.text).toContain('route="/portal-backend/api/apps"');
    const wrong = await stranger.send('GET', '/metrics', undefined, { authorization: 'Bearer let-me-read-metric' });
    expect(wrong.status).toBe(401);
  });

  it('the OpenAPI document describes every endpoint with its rules, and has a page for trying them', async () => {
    const document = JSON.parse((await stranger.send('GET', '/openapi.json')).text);
    for (const { method, path, may, about, recorded, cost } of endpoints) {
      const described = path.replace(/:(\w+)/g, '{$1}');
      const rules = JSON.parse(JSON.stringify({ may, about, recorded, cost }));
      expect(document.paths[described][method.toLowerCase()], path).toMatchObject({ 'x-rules': rules });
    }
    const page = await stranger.send('GET', '/api-docs/');
    expect(page.text).toContain('swagger-ui');
    // The portal's policy forbids inline scripts on this page too.
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('every endpoint of the contract is served', async () => {
    for (const { method, path } of endpoints) {
      const { text } = await signedIn.send(method, path, method === 'GET' ? undefined : '{');
      expect(text, path).not.toContain('There is nothing at');
      if (path === deleteSession.path) signedIn = await world.server.signIn('demo', 'demo');
    }
  });
});
