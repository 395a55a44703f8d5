import { once } from 'node:events';
import { connect } from 'node:net';
import { problemSchema } from '@portal/contract/problem';
import { getSession } from '@portal/contract/session';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import type { TestClient } from '../testing/test-client.ts';

let world: SmallWorld;
let logs: string;
let demo: TestClient;
const paths = () => [logs, '/sync/api/ws', '/sync/ws'];

beforeAll(async () => {
  world = await startSmallWorld({ trustedProxies: ['127.0.0.1'] });
  logs = `/portal-backend/ws/${world.helium.app('Clinic Visits').id}`;
  demo = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());

function open(path: string, headers: Record<string, string>): WebSocket {
  const socket = new WebSocket(world.server.url.replace('http', 'ws') + path, { headers });
  onTestFinished(() => socket.terminate());
  // 'close' follows.
  socket.on('error', () => undefined);
  return socket;
}

/** Returns the close code of a socket that the server refuses, or its HTTP status. */
async function findRefusal(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('close', (code) => resolve(code));
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
  });
}

/** Sends an upgrade and returns the whole response. */
async function upgrade(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { hostname, port } = new URL(world.server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const lines = Object.entries({
    host: hostname,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let response = '';
  socket.on('data', (data) => {
    response += data.toString('latin1');
  });
  await once(socket, 'close');
  return response;
}

function readProblem(response: string) {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, ...problemSchema.parse(JSON.parse(body)) };
}

describe('sockets of a user', () => {
  it('can be opened with HTTP Basic', async () => {
    for (const path of paths()) {
      const socket = open(path, { authorization: `Basic ${btoa('demo:demo')}` });
      await once(socket, 'open');
      socket.send('garbage');
      expect(await findRefusal(socket)).toBe(4400);
    }
  });

  it('are limited over all paths, and each user has a limit of their own', async () => {
    const own = Array.from({ length: 50 }, (_, at) => open(paths()[at % 3] ?? '', demo.cookieHeaders));
    await Promise.all(own.map((socket) => once(socket, 'open')));
    for (const path of paths()) expect(await findRefusal(open(path, demo.cookieHeaders))).toBe(4429);

    const other = await world.server.signIn('health.dev', 'health');
    await once(open(logs, other.cookieHeaders), 'open');

    const [first] = own;
    first?.close();
    const sendGarbage = () => {
      const next = open(logs, demo.cookieHeaders);
      next.once('open', () => next.send('garbage'));
      return findRefusal(next);
    };
    await expect.poll(sendGarbage).toBe(4400);
  });
});

describe('upgrades of strangers', () => {
  it('upgrades without a cookie or credentials are refused with 401 and not carried out', async () => {
    let upgrades = 0;
    const count = () => {
      upgrades += 1;
    };
    world.server.app.websocketServer.on('connection', count);
    onTestFinished(() => void world.server.app.websocketServer.off('connection', count));
    const refused = Array.from({ length: 300 }, (_, at) => upgrade(paths()[at % 3] ?? ''));
    expect((await demo.attempt(getSession, undefined)).status).toBe(200);
    for (const response of await Promise.all(refused))
      expect(readProblem(response)).toMatchObject({ status: 401, kind: 'not-signed-in' });
    expect(readProblem(await upgrade(logs, { cookie: 'theme=dark' }))).toMatchObject({ status: 401 });
    expect(readProblem(await upgrade(logs, { authorization: 'Basic ???' }))).toMatchObject({ status: 401 });
    const authorization = `Basic ${btoa('demo:wrong')}`;
    expect(readProblem(await upgrade(logs, { authorization }))).toMatchObject({ status: 401 });
    expect(upgrades).toBe(0);
  });

  it('upgrades at a path without a socket are refused with 404, with or without a session', async () => {
    for (const headers of [{}, demo.cookieHeaders]) {
      for (const path of ['/healthz', getSession.path, '/nowhere'])
        expect(readProblem(await upgrade(path, headers))).toMatchObject({ status: 404, kind: 'not-found' });
    }
  });

  it('upgrades are limited in number per address until their caller is known', async () => {
    const { sessions } = world.server.dependencies;
    const find = sessions.find.bind(sessions);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const finding = vi.spyOn(sessions, 'find').mockImplementation(async (...args) => {
      await answered;
      return find(...args);
    });
    onTestFinished(() => finding.mockRestore());
    const from = (address: string) => ({ cookie: 'portal=unknown', 'x-forwarded-for': address });
    const waiting = Array.from({ length: 100 }, () => findRefusal(open(logs, from('203.0.113.1'))));
    await vi.waitFor(() => expect(finding).toHaveBeenCalledTimes(100), 60_000);

    const refusal = readProblem(await upgrade('/sync/api/ws', from('203.0.113.1')));
    expect(refusal).toMatchObject({ status: 429, kind: 'too-many' });
    expect(refusal.head).toMatch(/^retry-after: 1\r?$/im);
    const elsewhere = findRefusal(open(logs, from('203.0.113.2')));
    await vi.waitFor(() => expect(finding).toHaveBeenCalledTimes(101), 60_000);

    answer();
    expect(new Set(await Promise.all([...waiting, elsewhere]))).toEqual(new Set([4401]));
    expect(await upgrade(logs, from('203.0.113.1'))).toMatch(/^HTTP\/1.1 101 /);
  });

  it('clients that do not close their refused sockets are disconnected', async () => {
    // The connection never sends the close frame that belongs to the received one.
    expect(await upgrade(logs, { cookie: 'portal=unknown' })).toContain('your session has ended');
  });
});
