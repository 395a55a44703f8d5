import { getDevClient, getLatestReleaseVersion } from '@portal/contract/dev-client';
import { defaultVersions, type ReleasesSimulator, startReleasesSimulator } from '@portal/simulators/releases/simulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let repository: ReleasesSimulator;
let world: SmallWorld;
let client: TestClient;

const settings = () => ({
  metadataUrl: repository.metadataUrl,
  clientUrl: repository.clientUrl,
  noUiClientUrl: repository.noUiClientUrl,
  installCommand: 'curl -fsSLO https://releases.example.com/he-dev-client-{version}.jar',
});
/** Reads without the cache. */
const fresh = { 'cache-control': 'no-cache' };
const read = (from = client) => from.call(getDevClient, undefined);
const readFresh = (from = client) => from.send('GET', getDevClient.path, undefined, fresh);
const countRequests = () => repository.requests().filter((path) => path.endsWith('maven-metadata.xml')).length;

beforeAll(async () => {
  repository = await startReleasesSimulator();
  world = await startSmallWorld({ devClient: settings() });
});
afterAll(async () => {
  await world.stop();
  await repository.stop();
});
beforeEach(async () => {
  client = await world.server.signIn('demo', 'demo');
});
afterEach(() => {
  repository.faults.clear();
  repository.publish(defaultVersions);
});

/** Starts a portal without cached data; over a new database by default. */
async function withAnotherServer(
  work: (signedIn: TestClient) => Promise<void>,
  {
    databaseUrl,
    devClient = settings(),
  }: { databaseUrl?: string; devClient?: ReturnType<typeof settings> | null } = {},
): Promise<void> {
  const server: TestServer = await startTestServer({
    environments: [{ name: 'Production', baseUrl: world.baseUrl }],
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(devClient !== null && { devClient }),
  });
  try {
    await work(await server.signIn('demo', 'demo'));
  } finally {
    await server.stop();
  }
}

describe('download page', () => {
  it('shows the newest release, its jars with checksums, and the install command', async () => {
    const shown = await read();
    expect(shown).toMatchObject({
      version: '2.14.0',
      client: { url: repository.clientUrl.replaceAll('{version}', '2.14.0') },
      noUiClient: { url: repository.noUiClientUrl.replaceAll('{version}', '2.14.0') },
      installCommand: 'curl -fsSLO https://releases.example.com/he-dev-client-2.14.0.jar',
      problem: null,
    });
    for (const { url, sha256 } of [shown.client, shown.noUiClient]) {
      expect((await fetch(url)).status).toBe(200);
      expect(await (await fetch(`${url}.sha256`)).text()).toBe(sha256);
    }
  });

  it('rejects requests without a session', async () => {
    expect((await world.server.client().attempt(getDevClient, undefined)).status).toBe(401);
    expect((await world.server.client().attempt(getLatestReleaseVersion, undefined)).status).toBe(401);
  });
});

describe('latest release version', () => {
  it('returns the latest version as text', async () => {
    const response = await client.attempt(getLatestReleaseVersion, undefined);
    expect(response).toMatchObject({ status: 200, text: '2.14.0' });
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('caches the release; only requests for fresh data ask the repository again', async () => {
    await read();
    const before = countRequests();
    repository.publish({ versions: ['3.0.0'] });
    await Promise.all([read(), client.call(getLatestReleaseVersion, undefined), read()]);
    expect(countRequests()).toBe(before);
    expect(JSON.parse((await readFresh()).text)).toMatchObject({ version: '3.0.0' });
    expect(countRequests()).toBe(before + 1);
    expect((await read()).version).toBe('3.0.0');
  });

  it('concurrent requests share one repository request', async () => {
    await withAnotherServer(async (signedIn) => {
      const before = countRequests();
      await Promise.all(Array.from({ length: 5 }, () => read(signedIn)));
      expect(countRequests()).toBe(before + 1);
    });
  });
});

const failures: readonly (readonly [string, () => void, string])[] = [
  ['garbage', () => repository.replaceMetadata({ text: '<html>Sign in' }), 'something other than Maven metadata'],
  ['only snapshots', () => repository.publish({ versions: ['3.0-SNAPSHOT'] }), 'lists no release'],
  ['a redirect', () => repository.replaceMetadata({ location: 'http://127.0.0.1:9/' }), 'returned status 302'],
  ['an error', () => repository.faults.set({ mode: 'error500' }), 'returned status 500'],
  ['nothing', () => repository.faults.set({ mode: 'refuse' }), 'cannot be reached'],
];

describe('failing release repository', () => {
  it.each(failures)('%s: shows the last known version, its age and the reason', async (_what, break_, words) => {
    await readFresh();
    const known = await read();
    break_();
    const shown = JSON.parse((await readFresh()).text);
    expect(shown).toEqual({ ...known, problem: expect.stringContaining(words) });
    expect((await client.attempt(getLatestReleaseVersion, undefined)).text).toBe('2.14.0');
    repository.faults.clear();
    repository.publish(defaultVersions);
    expect(JSON.parse((await readFresh()).text)).toMatchObject({ version: '2.14.0', problem: null });
  });

  it.each(failures)('%s, with no known version: returns the reason', async (_what, break_, words) => {
    break_();
    await withAnotherServer(async (signedIn) => {
      for (const endpoint of [getDevClient, getLatestReleaseVersion]) {
        const response = await signedIn.attempt(endpoint, undefined);
        expect(response.status).toBe(502);
        expect(parseProblem(response).message).toContain(words);
      }
    });
  });
});

describe('last known release', () => {
  it('survives a restart of the server', async () => {
    await readFresh();
    const known = await read();
    repository.faults.set({ mode: 'refuse' });
    await withAnotherServer(
      async (signedIn) => {
        expect(await read(signedIn)).toEqual({ ...known, problem: expect.stringContaining('cannot be reached') });
      },
      { databaseUrl: world.server.databaseUrl },
    );
  });

  it('belongs to the configured repository, not to a former one', async () => {
    await readFresh();
    const elsewhere = { ...settings(), metadataUrl: `${repository.metadataUrl}.old` };
    await withAnotherServer(
      async (signedIn) => {
        const response = await signedIn.attempt(getDevClient, undefined);
        expect(response.status).toBe(502);
        expect(parseProblem(response).message).toContain('returned status 404');
      },
      { databaseUrl: world.server.databaseUrl, devClient: elsewhere },
    );
  });
});

it('the download page reports that no repository is configured', async () => {
  await withAnotherServer(
    async (signedIn) => {
      const response = await signedIn.attempt(getDevClient, undefined);
      expect(response.status).toBe(404);
      expect(parseProblem(response).message).toContain('devClient');
    },
    { devClient: null },
  );
});
