import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fetchLatestRelease, withVersion } from './client.ts';
import { defaultVersions, type ReleasesSimulator, startReleasesSimulator } from './simulator.ts';
import { readLatestRelease, readSha256 } from './wire.ts';

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
  it('returns the release the repository names, with the checksums of its jars', async () => {
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
  ])('falls back to the newest version that is not a snapshot when %s', async (_when, release) => {
    const versions = ['1.10.0-rc2', '1.10.0', '1.9.0', '1.11.0-SNAPSHOT'];
    simulator.publish({ versions, ...(release !== undefined && { release }) });
    expect((await latest()).version).toBe('1.10.0');
  });

  it('returns no checksums when the repository has none or invalid ones', async () => {
    simulator.faults.set({ path: 'no-ui.jar.sha256$', mode: 'html' }, { path: '.sha256$', mode: 'error500' });
    expect(await latest()).toEqual({ version: '2.14.0', clientSha256: null, noUiClientSha256: null });
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

  it('throws on a redirect without following it', async () => {
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
  expect(readLatestRelease(listing('<versions><version>1.10</version></versions>'))).toBe('1.10');
  expect(readLatestRelease(listing('<release/><versions/>'))).toBeNull();
});

it('reads a checksum with or without a file name', () => {
  const sum = 'a1'.repeat(32);
  expect(readSha256(`${sum.toUpperCase()}\n`)).toBe(sum);
  expect(readSha256(`${sum}  he-dev-client-2.14.0.jar\n`)).toBe(sum);
  for (const other of ['', sum.slice(1), `${sum}0`, 'md5 0123']) expect(readSha256(other)).toBeNull();
});
