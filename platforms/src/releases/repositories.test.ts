/** Repositories as companies run them: behind a sign-in, with downloads from another host. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchLatestRelease } from './client.ts';

const [sha256, sha1] = ['b2'.repeat(32), 'c3'.repeat(20)];
const metadata = '<metadata><versioning><versions><version>1.0</version></versions></versioning></metadata>';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

interface Host {
  readonly server: Server;
  readonly host: string;
  readonly requests: IncomingMessage[];
  respond: Respond;
}

async function startHost(): Promise<Host> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    started.respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const started: Host = { server, host, requests, respond: () => undefined };
  return started;
}

let repository: Host;
let storage: Host;
beforeAll(async () => {
  repository = await startHost();
  storage = await startHost();
});
afterAll(() => {
  repository.server.close();
  storage.server.close();
});
beforeEach(() => {
  for (const { requests } of [repository, storage]) requests.length = 0;
});

const read = (options: Partial<Parameters<typeof fetchLatestRelease>[0]> = {}) =>
  fetchLatestRelease({
    metadataUrl: `http://${repository.host}/maven-metadata.xml`,
    clientUrl: `http://${repository.host}/{version}/client.jar`,
    noUiClientUrl: `http://${repository.host}/{version}/no-ui.jar`,
    ...options,
  });
const unreachable = (words: string) => ({ name: 'Unreachable', message: expect.stringContaining(words) });

/** Answers 404 for checksum files, and `jar` for what is left. */
const serve =
  (jar: Respond): Respond =>
  (request, response) => {
    if (request.url === '/maven-metadata.xml') response.end(metadata);
    else if (/\.sha\d+$/.test(request.url ?? '')) response.writeHead(404).end();
    else jar(request, response);
  };

describe('a sign-in', () => {
  it.each([
    [{}, 'It requires a sign-in: add a user name and password to devClient.metadataUrl.'],
    [{ authorization: 'Basic eDp5' }, 'It does not accept the user name and password in devClient.metadataUrl.'],
  ])('is asked for, or said to be wrong: %j', async (headers, words) => {
    repository.respond = (_, response) => response.writeHead(401).end();
    await expect(read({ headers })).rejects.toMatchObject(unreachable(words));
  });
});

describe('the checksum of a jar', () => {
  it.each([
    [
      { 'x-checksum-sha256': sha256, 'x-checksum-sha1': sha1 },
      { clientSha256: sha256, clientSha1: null },
    ],
    [{ 'X-Checksum-Sha1': sha1 }, { clientSha256: null, clientSha1: sha1 }],
    [{ 'x-checksum-sha1': 'none' }, { clientSha256: null, clientSha1: null }],
  ])('comes from the headers of the repository where it has no file: %j', async (headers, checksums) => {
    repository.respond = serve((_, response) => response.writeHead(200, headers).end());
    expect(await read()).toMatchObject({ version: '1.0', ...checksums });
  });
});

describe('a redirect', () => {
  it('is followed within the host, with the credentials', async () => {
    repository.respond = serve((request, response) => {
      if (request.url?.startsWith('/moved')) response.end();
      else response.writeHead(301, { location: `/moved${request.url}` }).end();
    });
    expect(await read({ headers: { authorization: 'Basic eDp5' } })).toMatchObject({ version: '1.0' });
    expect(repository.requests.every(({ headers }) => headers.authorization === 'Basic eDp5')).toBe(true);
  });

  it('is followed to a listed host only, which receives no credentials and whose answer counts', async () => {
    repository.respond = (_, response) =>
      response.writeHead(302, { location: `http://${storage.host}/signed?key=1`, 'x-checksum-sha256': sha256 }).end();
    storage.respond = (request, response) => {
      if (request.method === 'HEAD') response.end();
      else response.end(metadata);
    };
    const headers = { authorization: 'Basic eDp5' };
    const refused = `returned status 302 for /maven-metadata.xml. It redirects to ${storage.host}, which devClient.storageHosts does not list.`;
    await expect(read({ headers })).rejects.toMatchObject(unreachable(refused));
    expect(storage.requests).toEqual([]);
    expect(await read({ headers, storageHosts: [storage.host] })).toMatchObject({
      version: '1.0',
      clientSha256: sha256,
    });
    expect(storage.requests.length).toBeGreaterThan(0);
    expect(storage.requests.some((request) => 'authorization' in request.headers)).toBe(false);
  });

  it('back from a listed host carries no credentials either', async () => {
    repository.respond = (request, response) => {
      if (request.url === '/maven-metadata.xml') response.writeHead(302, { location: `http://${storage.host}/` }).end();
      else if (request.url === '/back') response.end(metadata);
      else response.end();
    };
    storage.respond = (_, response) => response.writeHead(302, { location: `http://${repository.host}/back` }).end();
    await read({ headers: { authorization: 'Basic eDp5' }, storageHosts: [storage.host] });
    const back = repository.requests.find(({ url }) => url === '/back');
    expect(back?.headers).not.toHaveProperty('authorization');
  });
});
