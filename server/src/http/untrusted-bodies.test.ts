/** What callers can make the server do before it knows who they are. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { getConfig } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { mergeSchedule } from '@portal/contract/deployments';
import { endpoints } from '@portal/contract/endpoints';
import { needsSession } from '@portal/contract/rules';
import { getSession } from '@portal/contract/session';
import { importShifts } from '@portal/contract/support-roster';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServerOptions } from '../testing/test-server.ts';

const kilobyte = 1024;
const maxProblemBytes = 16 * kilobyte;

let world: SmallWorld;
let stranger: TestClient;
let signedIn: TestClient;

beforeAll(async () => {
  world = await startSmallWorld();
  stranger = world.server.client();
  signedIn = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());

/** Another server of the same platform. */
async function startServer(options: Partial<TestServerOptions> = {}) {
  const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
  const server = await startTestServer({ environments, ...options });
  onTestFinished(() => server.stop());
  return server;
}

interface RawRequest {
  readonly path?: string;
  readonly headers?: readonly string[];
  /** Sent after the headers; it may be shorter than the announced length. */
  readonly body?: string;
}

/** Sends a request as it is, without waiting for anything. */
function sendRaw(url: string, { path = getApps.path, headers = [], body = '' }: RawRequest): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const head = [`POST ${path} HTTP/1.1`, 'host: portal', 'content-type: application/json', ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

/** Returns what arrives up to the end of the response's headers. */
async function readHead(socket: Socket): Promise<string> {
  let text = '';
  while (!text.includes('\r\n\r\n')) text += (await once(socket, 'data'))[0];
  return text.toLowerCase();
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  return text;
}

const repeat = (element: string, times: number) => Array.from({ length: times }, () => element).join(',');

/** Bodies of about a megabyte that cost far more than their size, by name. */
const costly = {
  'zeros with one escape': `{"b":"\\u0041","a":[${repeat('0', 499_000)}]}`,
  'objects with one escape': `{"b":"\\u0041","a":[${repeat('{}', 330_000)}]}`,
  'texts with one escape': `{"b":"\\u0041","a":[${repeat('""', 330_000)}]}`,
  'nested lists': '['.repeat(500_000),
  'nested lists with one escape': `{"b":"\\u0041","a":${'['.repeat(500_000)}`,
  'many keys': `{"b":"\\u0041",${Array.from({ length: 60_000 }, (_, at) => `"k${at}":0`).join(',')}}`,
};

describe('callers without a session', () => {
  it('are refused with 401 before their body arrives, on every endpoint that needs a session', async () => {
    const withBody = endpoints.filter(({ may, method }) => needsSession(may) && method !== 'GET');
    expect(withBody.length).toBeGreaterThan(30);
    for (const { method, path } of withBody) {
      const socket = sendRaw(world.server.url, { path, headers: ['content-length: 1000000'] });
      expect(await readHead(socket), `${method} ${path}`).toMatch(/^http\/1.1 (401|405) /);
      socket.destroy();
    }
  });

  it('get 404 for an unknown path before their body arrives', async () => {
    const socket = sendRaw(world.server.url, { path: '/nowhere', headers: ['content-length: 1000000'] });
    expect(await readHead(socket)).toMatch(/^http\/1.1 404 /);
  });

  it('get an answer on the same connection after a body that was not read', async () => {
    const socket = sendRaw(world.server.url, {
      path: getConfig.path,
      headers: ['content-length: 500000'],
      body: 'x'.repeat(500_000),
    });
    expect(await readHead(socket)).toMatch(/^http\/1.1 401 /);
    socket.write('GET /healthz HTTP/1.1\r\nhost: portal\r\n\r\n');
    expect(await readHead(socket)).toContain('http/1.1 200 ');
  });

  it('can send 16 kB at most, and are refused by the headers if they announce more', async () => {
    const send = (length: number) => stranger.send('POST', getApps.path, `{}${' '.repeat(length - 2)}`);
    expect((await send(16 * kilobyte)).status).toBe(401);
    const announced = sendRaw(world.server.url, { headers: [`content-length: ${16 * kilobyte + 1}`] });
    expect(await readHead(announced)).toMatch(/^http\/1.1 413 /);
    const tooLarge = await send(16 * kilobyte + 1);
    expect(tooLarge.status).toBe(413);
    expect(parseProblem(tooLarge).message).toBe('The request is too large. The limit is 16 kB.');
  });

  it('can send 16 kB at most without announcing a length, and are disconnected after it', async () => {
    const piece = `${kilobyte.toString(16)}\r\n${' '.repeat(kilobyte)}\r\n`;
    const socket = sendRaw(world.server.url, { headers: ['transfer-encoding: chunked'], body: piece.repeat(17) });
    const response = (await readToEnd(socket)).toLowerCase();
    expect(response).toMatch(/^http\/1.1 413 /);
    expect(response).toContain('connection: close');
  });

  it.each(Object.entries(costly))('cannot have a megabyte of %s parsed', async (_name, body) => {
    expect((await stranger.send('POST', getApps.path, body)).status).toBe(413);
    expect((await stranger.send('POST', getConfig.path, body)).status).toBe(401);
  });

  it('share a limit for all bodies that they have not finished sending', async () => {
    const server = await startServer({ limits: { unfinishedBytes: 40 * kilobyte } });
    const user = await server.signIn('demo', 'demo');
    const announced = [`content-length: ${16 * kilobyte}`];
    const unfinished = [1, 2].map(() => sendRaw(server.url, { headers: announced, body: '{' }));
    const complete = { headers: announced, body: `{}${' '.repeat(16 * kilobyte - 2)}` };
    // Shows when both have arrived.
    await expect.poll(() => readHead(sendRaw(server.url, complete))).toMatch(/^http\/1.1 429 /);
    const refusal = await readHead(sendRaw(server.url, complete));
    expect(refusal).toContain('retry-after: 5');
    expect(refusal).toContain('connection: close');
    expect((await user.attempt(getSession, undefined)).status).toBe(200);
    expect((await user.attempt(getConfig, { appId: 'none' })).status).toBe(404);
    for (const socket of unfinished) socket.destroy();
    await expect.poll(() => readHead(sendRaw(server.url, complete))).toMatch(/^http\/1.1 401 /);
  });

  it('are disconnected when their headers or their body do not arrive in time', async () => {
    const limits = { headersTimeoutMs: 1_000, requestTimeoutMs: 2_000, checkIntervalMs: 50 };
    const server = await startServer({ limits });
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    onTestFinished(() => void silent.destroy());
    const withoutBody = sendRaw(server.url, { headers: ['content-length: 100'], body: '{' });
    const withoutEnd = sendRaw(server.url, { headers: ['transfer-encoding: chunked'], body: '1\r\n{\r\n' });
    await Promise.all([silent.resume(), withoutBody.resume(), withoutEnd.resume()].map((each) => once(each, 'close')));
    expect((await server.client().attempt(getApps, {})).status).toBe(401);
    expect(server.logged()).not.toContain('unexpected error');
  });
});

describe('signed-in callers', () => {
  it('can send what the endpoint declares', async () => {
    const large = JSON.stringify({ team: 'none', csv: 'x'.repeat(900_000), dryRun: true });
    expect((await signedIn.send('POST', importShifts.path, large)).status).toBe(404);
    const tooLarge = await signedIn.send('POST', importShifts.path, `${large}${' '.repeat(200_000)}`);
    expect(tooLarge.status).toBe(413);
    expect(parseProblem(tooLarge).message).toBe('The request is too large. The limit is 1 MB.');
  });

  it.each(Object.entries(costly))('get 400 for a megabyte of %s', async (_name, body) => {
    const response = await signedIn.send('POST', importShifts.path, body);
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toMatch(/^The request (is nested more than 32 levels|has more than 20000)/);
  });

  it('get 20 faults at most, in a small response', async () => {
    const path = mergeSchedule.path.replace(':scheduleId', 'null');
    const numbers = (length: number) => Array.from({ length }, (_, at) => at);
    const manyFaults = await signedIn.send('POST', path, JSON.stringify({ appNames: numbers(500) }));
    expect(manyFaults.status).toBe(400);
    const { message, fields } = parseProblem(manyFaults);
    expect(message).toMatch(/; and \d+ more$/);
    expect(Object.keys(fields ?? {})).toHaveLength(20);
    expect(manyFaults.text.length).toBeLessThan(maxProblemBytes);
    const tooLong = await signedIn.send('POST', path, JSON.stringify({ appNames: numbers(18_000) }));
    expect(parseProblem(tooLong).fields).toMatchObject({ appNames: expect.stringContaining('500') });
    expect(tooLong.text.length).toBeLessThan(maxProblemBytes);
  });
});

describe('callers with HTTP Basic', () => {
  const authorization = `Basic ${btoa('demo:demo')}`;
  const environments = () => [
    { name: 'Production', baseUrl: world.baseUrl },
    { name: 'Staging', baseUrl: 'http://127.0.0.1:1' },
  ];
  const csv = 'x'.repeat(100_000);

  it('can name their environment in a body of 16 kB, or in the address and send more', async () => {
    const server = await startServer({ environments: environments() });
    const send = (path: string, body: object) =>
      server.client().send('POST', path, JSON.stringify(body), { authorization });
    const { path } = importShifts;
    expect((await send(path, { team: 'none', csv: '', environment: 'Production' })).status).toBe(404);
    expect((await send(path, { team: 'none', csv, environment: 'Production' })).status).toBe(413);
    expect((await send(`${path}?environment=Production`, { team: 'none', csv })).status).toBe(404);
    expect((await send(`${path}?baseUrl=${encodeURIComponent(world.baseUrl)}`, { team: 'none', csv })).status).toBe(
      404,
    );
    expect(parseProblem(await send(path, { team: 'none', csv: '' })).message).toContain('The environment is missing.');
  });

  it('must not name another environment in the body than in the address', async () => {
    const server = await startServer({ environments: environments() });
    const path = `${getConfig.path}?environment=Production`;
    const body = JSON.stringify({ appId: 'none', baseUrl: environments()[1]?.baseUrl });
    expect((await server.client().send('POST', path, body, { authorization })).status).toBe(403);
  });

  it('wrong credentials are refused before the body arrives, if the address names the environment', async () => {
    const socket = sendRaw(world.server.url, {
      path: importShifts.path,
      headers: [`authorization: Basic ${btoa('demo:wrong')}`, 'content-length: 1000000'],
    });
    expect(await readHead(socket)).toMatch(/^http\/1.1 401 /);
  });

  it('get 100 characters of an unknown environment back, and so does the log', async () => {
    const server = await startServer({ environments: environments() });
    const send = (length: number) => {
      const body = JSON.stringify({ environment: 'e'.repeat(length) });
      return server.client().send('POST', getConfig.path, body, { authorization });
    };
    expect((await send(900_000)).status).toBe(413);
    const response = await send(16_000);
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toBe(`There is no environment ${'e'.repeat(99)}….`);
    expect(server.logged()).not.toContain('e'.repeat(100));
  });
});

it('a path of 15 kB is cut in the response', async () => {
  const response = await signedIn.send('GET', `/${'x'.repeat(15_000)}`);
  expect(response.status).toBe(404);
  expect(response.text.length).toBeLessThan(kilobyte);
});
