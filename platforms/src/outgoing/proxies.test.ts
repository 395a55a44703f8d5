/** Every client of an outside system, behind a proxy. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCertificate, hasOpenssl } from '@portal/kit/postgres/tls-server.fixture';
import { Secret } from '@portal/kit/secret';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { examineProxies } from '../doctor/examine-proxies.ts';
import { createHeliumClient, type HeliumClient } from '../helium/client.ts';
import { createJourneyClient } from '../journey/client.ts';
import { createFileHosts, explainUncheckedHosts } from '../journey/file-hosts.ts';
import { fetchJiraProjects } from '../projects/client.ts';
import { fetchLatestRelease } from '../releases/client.ts';
import { fetchExternal } from '../roster/fetch-external.ts';
import { useProxies } from './dispatcher.ts';
import { startProxy, type TestProxy } from './proxy.fixture.ts';

/** Only the proxy resolves it. */
const name = 'outside.example';
const token = new Secret('secret');
const credentials = { userName: 'demo', password: 'demo' };

const usual = getGlobalDispatcher();
let proxy: TestProxy;
let server: Server;
let host: string;
beforeAll(async () => {
  server = createServer((_, response) => response.writeHead(500).end('no'));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `${name}:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(async () => {
  proxy = await startProxy();
  vi.stubEnv('http_proxy', proxy.url.replace('//', '//user:p%40ss@'));
  vi.stubEnv('https_proxy', proxy.url);
  vi.stubEnv('no_proxy', '');
  useProxies();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  setGlobalDispatcher(usual);
  await proxy.stop();
});

type Call = (baseUrl: string) => Promise<unknown>;

/** Returns the message of what a call throws. */
async function fail(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('The call has not failed.');
  return error.message;
}

/** A client that gets no answer probes until it is closed. */
async function withHelium(baseUrl: string, work: (client: HeliumClient) => Promise<unknown>): Promise<unknown> {
  const client = createHeliumClient({ baseUrl });
  return work(client).finally(() => client.close());
}

const calls: readonly (readonly [string, Call])[] = [
  ['calendars', (url) => fetchExternal('The calendar', `${url}/rota.ics`, {}, { timeoutMs: 9_000, maxBytes: 99 })],
  ['Jira', (baseUrl) => fetchJiraProjects({ baseUrl, flavor: 'server', token })],
  [
    'the release repository',
    (url) => fetchLatestRelease({ metadataUrl: `${url}/maven-metadata.xml`, clientUrl: url, noUiClientUrl: url }),
  ],
  ['Helium', (baseUrl) => withHelium(baseUrl, (client) => client.getServiceConfig({ credentials }))],
  [
    'Journey',
    (baseUrl) => createJourneyClient({ baseUrl, userName: '5f0c1d2e3a4b5c6d7e8f9a0b', password: token }).info(),
  ],
];

describe('a proxy', () => {
  it.each(calls)('forwards the calls to %s, and gets its credentials', async (_, call) => {
    expect(await fail(call(`http://${host}`))).toMatch(/500/);
    expect(proxy.requests[0]).toContain(` http://${host}/`);
    expect(proxy.authorizations[0]).toBe(`Basic ${btoa('user:p@ss')}`);
  });

  it.each(calls)('is asked for a tunnel to %s, and named when it refuses one', async (_, call) => {
    proxy.refuseWith(403);
    const message = await fail(call(`https://${name}`));
    expect(message).toContain('cannot be reached: the proxy refused the connection (status 403)');
    expect(proxy.requests[0]).toBe(`CONNECT ${name}:443`);
  });

  it('is asked for a tunnel to the log socket of Helium', async () => {
    const readLogs = (client: HeliumClient) =>
      client.readLog({ appId: 'a', credentials })[Symbol.asyncIterator]().next();
    expect(await fail(withHelium(`http://${host}`, readLogs))).toMatch(/closed/);
    expect(proxy.requests).toEqual([`CONNECT ${host}`]);
  });

  it('forwards the calls for files at another host of Journey', async () => {
    const { statusCode, body } = await createFileHosts([host]).request(`http://${host}/photo.jpg`);
    await body.dump();
    expect(statusCode).toBe(500);
    expect(proxy.requests).toEqual([`GET http://${host}/photo.jpg`]);
  });

  it('is not used for hosts that NO_PROXY lists', async () => {
    vi.stubEnv('no_proxy', name);
    for (const [, call] of calls) expect(await fail(call(`http://${host}`))).toMatch(/cannot be reached/);
    expect(proxy.requests).toEqual([]);
  });

  it("is not used for the portal's own services", async () => {
    useProxies([host]);
    expect(await fail(fetch(`http://${host}/health`))).toBe('fetch failed');
    expect(proxy.requests).toEqual([]);
  });

  it('each call fails while its proxy cannot be reached', async () => {
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
    for (const [, call] of calls) expect(await fail(call(`http://${host}`))).toMatch(/connection refused/);
  });
});

it('reports of which file hosts a proxy keeps the portal from checking the addresses', () => {
  expect(explainUncheckedHosts(['files.example', '10.1.0.0/16'])).toMatch(
    /^Files of files\.example are downloaded through a proxy, .* cannot check that they lead to no internal address\./,
  );
  vi.stubEnv('no_proxy', 'files.example');
  expect(explainUncheckedHosts(['files.example', '10.1.0.0/16'])).toBeNull();
});

describe('the doctor', () => {
  const examine = () =>
    examineProxies(
      [
        { name: 'Helium', url: `http://${host}` },
        { name: 'PagerDuty', url: `https://${host}` },
        { name: 'Sync', url: 'http://localhost:8081' },
      ],
      { fileHosts: ['files.example'], timeoutMs: 9_000 },
    );

  it('shows which calls go through which proxy, and what cannot be checked', async () => {
    const { lines, isGood } = await examine();
    expect(lines).toEqual([
      `HTTPS_PROXY: ${proxy.host}`,
      `HTTP_PROXY: ${proxy.host}`,
      'NO_PROXY is not set.',
      `Helium ${host}: through ${proxy.host}`,
      `PagerDuty ${host}: through ${proxy.host}`,
      'Sync localhost:8081: directly',
      expect.stringContaining('Files of files.example are downloaded through a proxy'),
    ]);
    expect(isGood).toBe(true);
  });

  it('reports a proxy that refuses a system or is none, and never its password', async () => {
    proxy.refuseWith(407);
    const { lines, isGood } = await examine();
    expect(lines).toContain(
      `PagerDuty ${host}: through ${proxy.host}, which fails: the proxy refused the connection (status 407)`,
    );
    expect(isGood).toBe(false);
    vi.stubEnv('http_proxy', 'socks5://user:p%40ss@proxy.example');
    expect(await examine()).toMatchObject({
      lines: ['HTTP_PROXY is not the address of an http or https proxy.'],
      isGood: false,
    });
  });

  it('reports when there is no proxy', async () => {
    vi.stubEnv('http_proxy', '');
    vi.stubEnv('https_proxy', '');
    expect((await examine()).lines).toEqual(['Neither HTTPS_PROXY nor HTTP_PROXY is set: all calls go directly.']);
  });
});

it.skipIf(!hasOpenssl)('has each client reach a host of a private authority through a tunnel', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxies-'));
  const issuer = createCertificate(folder, 'authority');
  const { certificate, key } = createCertificate(folder, 'server', { subject: name, issuer });
  const secured = createTlsServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (_, response) =>
    response.writeHead(500).end('no'),
  );
  const sockets = new WebSocketServer({ server: secured });
  sockets.on('connection', (socket) => socket.close());
  try {
    await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve));
    const target = `${name}:${(secured.address() as AddressInfo).port}`;
    const program = fileURLToPath(new URL('https-calls.fixture.ts', import.meta.url));
    const env = { PATH: process.env.PATH, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: issuer.certificate };
    const command = ['--import', 'tsx', program, `https://${target}`];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    expect(JSON.parse(stdout)).toEqual({
      calendar: expect.stringContaining('500'),
      jira: expect.stringContaining('500'),
      helium: expect.stringContaining('500'),
      logs: expect.stringContaining('closed'),
      journey: expect.stringContaining('500'),
    });
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT ${target}`]));
    expect(proxy.requests.length).toBeGreaterThanOrEqual(3);
  } finally {
    sockets.close();
    secured.close();
    rmSync(folder, { recursive: true });
  }
});
