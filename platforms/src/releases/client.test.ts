import { createHash } from 'node:crypto';
import { defaultVersions, type ReleasesSimulator, startReleasesSimulator } from '@portal/simulators/releases/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fetchLatestRelease, withVersion } from './client.ts';
import { listReleases, readChecksum } from './wire.ts';

let simulator: ReleasesSimulator;
beforeAll(async () => {
  simulator = await startReleasesSimulator();
});
afterAll(() => simulator.stop());
afterEach(() => {
  simulator.faults.clear();
  simulator.publish(defaultVersions);
});

const latest = (timeoutMs = 5_000) => fetchLatestRelease({ ...simulator, timeoutMs });
const unreachable = (words: string) => ({ name: 'Unreachable', message: expect.stringContaining(words) });

describe('latest release', () => {
  it('returns the newest release, with the checksums of its jars', async () => {
    const { version, clientSha256, noUiClientSha256 } = await latest();
    expect(version).toBe('2.14.0');
    for (const [url, message] of [
      [simulator.clientUrl, clientSha256],
      [simulator.noUiClientUrl, noUiClientSha256],
    ] as const) {
      const jar = Buffer.from(await (await fetch(withVersion(url, version))).arrayBuffer());
      expect(createHash('sha256').update(jar).digest('hex')).toBe(message);
      expect(jar.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
    }
    expect(clientSha256).not.toBe(noUiClientSha256);
  });

  it.each([
    ['no release is named', undefined],
    ['a snapshot is named as the release', '1.11.0-SNAPSHOT'],
    ['the named release is not a version', '$(rm -rf ~)'],
    ['an older version was deployed last', '1.9.0'],
    ['the named release was deleted', '1.12.0'],
    ['the named release comes before one', '1.10.0-rc2'],
  ])('is the newest version that is neither a snapshot nor before a release when %s', async (_when, release) => {
    const versions = ['1.10.0-rc2', '1.10.0', '1.9.0', '1.11.0-SNAPSHOT', '2.0.0-alpha-1', '2.0.0-preview'];
    simulator.publish({ versions, ...(release !== undefined && { release }) });
    expect((await latest()).version).toBe('1.10.0');
  });

  it('may be a version before a release if there is nothing else, or the configuration allows it', async () => {
    simulator.publish({ versions: ['1.0.0-beta', '1.0.0-rc1'] });
    expect((await latest()).version).toBe('1.0.0-rc1');
    simulator.publish({ versions: ['1.0.0', '2.0.0-m1'] });
    expect((await latest()).version).toBe('1.0.0');
    expect((await fetchLatestRelease({ ...simulator, preReleases: true })).version).toBe('2.0.0-m1');
  });

  it('is one whose jars are there', async () => {
    simulator.publish({ versions: ['1.0.0', '1.1.0', '1.2.0'], release: '1.2.0' });
    simulator.deleteFiles(['1.2.0']);
    expect((await latest()).version).toBe('1.1.0');
    simulator.faults.set({ path: '1.1.0-no-ui.jar$', mode: 'error500', status: 404 });
    expect((await latest()).version).toBe('1.0.0');
    simulator.faults.clear();
    simulator.deleteFiles(['1.0.0', '1.1.0', '1.2.0']);
    await expect(latest()).rejects.toMatchObject(unreachable('lists 1.2.0, 1.1.0, 1.0.0, and does not have both jars'));
  });

  it('is offered when the repository does not answer whether its jars are there', async () => {
    simulator.faults.set({ method: 'HEAD', mode: 'error500', status: 405 });
    expect((await latest()).version).toBe('2.14.0');
  });

  it('has the SHA-1 that `mvn deploy` writes where there is no SHA-256, and no checksum where both are invalid', async () => {
    simulator.faults.set({ path: 'no-ui.jar.sha(256|1)$', mode: 'html' }, { path: '.sha256$', mode: 'error500' });
    const jar = Buffer.from(await (await fetch(withVersion(simulator.clientUrl, '2.14.0'))).arrayBuffer());
    expect(await latest()).toEqual({
      version: '2.14.0',
      clientSha256: null,
      noUiClientSha256: null,
      clientSha1: createHash('sha1').update(jar).digest('hex'),
      noUiClientSha1: null,
    });
  });
});

describe('failing release repository', () => {
  it.each([{ versions: [] }, { versions: ['1.0-SNAPSHOT', '1.1-20260131.101500-3'], release: '1.0-SNAPSHOT' }])(
    'throws when there is no release: %j',
    async (published) => {
      simulator.publish(published);
      await expect(latest()).rejects.toMatchObject(unreachable('lists no release'));
    },
  );

  it.each([
    '',
    'gone fishing',
    '<metadata>',
    '<metadata></metadata>',
    '<html><body>Sign in</body></html>',
    '<metadata><versioning><release>1.0</versioning></metadata>',
    '<!DOCTYPE m [<!ENTITY v "1.0">]><metadata><versioning><release>&v;</release></versioning></metadata>',
    '{"release": "1.0"}',
  ])('throws when it returns something else: %s', async (text) => {
    simulator.replaceMetadata({ text });
    await expect(latest()).rejects.toMatchObject(unreachable('something other than Maven metadata'));
  });

  it('throws on a redirect to another host without following it', async () => {
    const elsewhere = await startReleasesSimulator();
    simulator.replaceMetadata({ location: elsewhere.metadataUrl });
    await expect(latest()).rejects.toMatchObject(unreachable('status 302'));
    expect(elsewhere.requests()).toEqual([]);
    await elsewhere.stop();
  });

  it('throws when the response is too large', async () => {
    simulator.replaceMetadata({ text: `<!--${'x'.repeat(1024 * 1024)}-->` });
    await expect(latest()).rejects.toMatchObject(unreachable('more than 1048576 bytes'));
  });

  it.each([
    ['error500', 'status 500'],
    ['half-body', 'the connection was closed'],
    ['refuse', 'the connection was closed'],
  ] as const)('throws when the connection fails: %s', async (mode, words) => {
    simulator.faults.set({ path: 'metadata', mode });
    await expect(latest()).rejects.toMatchObject(unreachable(words));
  });

  it('throws when it does not respond in time', async () => {
    simulator.faults.set({ path: 'metadata', mode: 'hang' });
    await expect(latest(50)).rejects.toMatchObject({ ...unreachable('within 0.05 s'), status: 504 });
  });
});

it('reads a list with one version and an empty list', () => {
  const listing = (versions: string) => `<metadata><versioning>${versions}</versioning></metadata>`;
  const list = (versions: string) => listReleases(listing(versions), { preReleases: false });
  expect(list('<versions><version>1.10</version></versions>')).toEqual(['1.10']);
  expect(list('<release>1.9</release>')).toEqual(['1.9']);
  expect(list('<release/><versions/>')).toEqual([]);
});

it.each([
  ['sha256', 'a1'.repeat(32)],
  ['sha1', 'a1'.repeat(20)],
] as const)('reads a %s with or without a line end and a file name', (kind, sum) => {
  for (const text of [sum, `${sum.toUpperCase()}\n`, `${sum}  he-dev-client-2.14.0.jar\n`])
    expect(readChecksum(kind, text)).toBe(sum);
  for (const other of ['', sum.slice(1), `${sum}0`, 'md5 0123']) expect(readChecksum(kind, other)).toBeNull();
});
