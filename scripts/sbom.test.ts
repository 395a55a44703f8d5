import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

let sbom: Sbom;
beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs'), folder], { stdio: 'ignore' });
  sbom = JSON.parse(readFileSync(join(folder, 'portal.cdx.json'), 'utf8'));
});
afterAll(() => rmSync(folder, { recursive: true }));

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
