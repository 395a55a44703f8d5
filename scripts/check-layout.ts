import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBreaches } from './layout.ts';

/**
 * Checks the sources listed by git against the layout. Prints one line per violation and exits with
 * 1 if there are any.
 */
const root = dirname(import.meta.dirname);
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path && existsSync(join(root, path)));

const sources = listed.filter((path) => /\.(ts|tsx|mjs)$/.test(path));
const manifests = listed.filter((path) => /^([^/]+\/)?package\.json$/.test(path));
const breaches = findBreaches({
  files: new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
  declared: new Map(manifests.map((path) => [path.includes('/') ? dirname(path) : 'scripts', packagesIn(path)])),
});
for (const path of execFileSync('git', ['ls-files', '*/dist/*'], { cwd: root, encoding: 'utf8' }).split('\n')) {
  if (path) breaches.push(`${path}: build output must not be committed`);
}
for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length > 0 ? 1 : 0;

function packagesIn(path: string): Set<string> {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
    readFileSync(join(root, path), 'utf8'),
  );
  return new Set(
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) => Object.keys(manifest[kind] ?? {})),
  );
}
