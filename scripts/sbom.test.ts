import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'portal-sbom-'));

interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Sbom {
  readonly bomFormat: string;
  readonly metadata: {
    readonly component: { readonly name: string };
    readonly properties: readonly { readonly name: string; readonly value: string }[];
  };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** How a registry answers to a question for known vulnerabilities. */
let answer: readonly [status: number, body: string] = [405, ''];
const registry = createServer((request, response) => {
  request
    .resume()
    .on('end', () => response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1]));
});

/** Writes the list as `npm run sbom` does, with this registry, and returns what it prints. */
async function writeSbom(): Promise<{ readonly sbom: Sbom; readonly output: string }> {
  const { port } = registry.address() as AddressInfo;
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [join(root, 'scripts/sbom.mjs'), folder], { env });
  return { sbom: JSON.parse(readFileSync(join(folder, 'portal.cdx.json'), 'utf8')), output: stdout };
}

let sbom: Sbom;
let output: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  ({ sbom, output } = await writeSbom());
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

/**
 * Follows the dependencies of the services and the page through the lock file, as Node.js resolves
 * them.
 */
function findShippedPackages(): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const seen = new Set<string>();
  const shipped = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      let from = path;
      while (from !== '' && !packages[`${from}/node_modules/${name}`]) from = from.replace(/(^|\/)[^/]*$/, '');
      const found = join(from, 'node_modules', name);
      const { link, resolved = '', version } = packages[found] ?? {};
      if (!link) shipped.add(`${name}@${version}`);
      visit(link ? resolved : found);
    }
  };
  for (const workspace of ['server', 'sync', 'system', 'web']) visit(workspace);
  return shipped;
}

it('the list of what is shipped names each production dependency with its version', () => {
  expect([sbom.bomFormat, sbom.metadata.component.name]).toEqual(['CycloneDX', 'portal']);
  const named = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  const shipped = findShippedPackages();
  expect(shipped.size).toBeGreaterThan(100);
  expect([...shipped].filter((each) => !named.has(each))).toEqual([]);
});

it('the list of licenses names each of them with a license, and nothing of the project itself', () => {
  const lines = readFileSync(join(folder, 'licenses.csv'), 'utf8').trim().split('\n').slice(1);
  const licensed = new Set(lines.map((line) => line.replace(/,([^,]*),.*/, '@$1')));
  expect([...findShippedPackages()].filter((each) => !licensed.has(each))).toEqual([]);
  expect(lines.filter((line) => /,unknown$|^(server|kit|web),/.test(line))).toEqual([]);
});

it('the list says that it was not checked for known vulnerabilities, how to do that, and what was verified', () => {
  const values = sbom.metadata.properties.map(({ name, value }) => `${name}: ${value}`);
  expect(values).toContainEqual(
    expect.stringMatching(
      /^portal:vulnerabilities: Not checked against known vulnerabilities: .* answered with status 405\. To check it, run "npm audit/,
    ),
  );
  const integrity = values.find((value) => value.startsWith('portal:integrity: '));
  const [, hashed, locked] = integrity?.match(/ (\d+) of (\d+) locked packages have a SHA-512 check sum/) ?? [];
  expect(Number(hashed)).toBeGreaterThan(100);
  expect(hashed).toBe(locked);
  for (const { name, value } of sbom.metadata.properties)
    if (name.startsWith('portal:')) expect(output).toContain(value);
});

it('the list says when it was checked for known vulnerabilities, and what is known', async () => {
  answer = [200, '{}'];
  const { output: checked } = await writeSbom();
  expect(checked).toMatch(/Checked against known vulnerabilities by npm audit on \d{4}-\d\d-\d\d: none\./);
});
