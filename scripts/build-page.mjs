import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, runQuietly } from './run.mjs';

/** Everything that the built page depends on. */
const sourceFolders = [
  'web/src',
  'web/public',
  'web/index.html',
  'web/vite.config.ts',
  'web/package.json',
  'contract/src',
  'package-lock.json',
];

const stamp = join(root, 'web', 'dist', '.stamp');

const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** Builds the page into `web/dist`, unless it is up to date with its sources. */
export async function buildPage() {
  const sources = hashFiles(sourceFolders.map((path) => join(root, path)));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  console.log('Building the page …');
  // The build empties the folder first, so an interrupted build leaves no stamp. The NODE_ENV of
  // the tests would produce a slower page than the one users get.
  const env = { ...process.env, NODE_ENV: 'production' };
  await runQuietly('Building the page', process.execPath, [vite, 'build'], { cwd: join(root, 'web'), env });
  writeFileSync(stamp, sources);
}

function hashFiles(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(listFiles))
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function listFiles(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}
