import { join } from 'node:path';
import { buildWhenChanged } from './build-when-changed.mjs';
import { root, runQuietly } from './run.mjs';

/** Everything that the built page depends on. */
const sources = [
  'web/src',
  'web/public',
  'web/index.html',
  'web/vite.config.ts',
  'web/package.json',
  'contract/src',
  'package-lock.json',
];

const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** Builds the page into `web/dist`, unless it is up to date with its sources. */
export async function buildPage() {
  // The build empties the folder first, so an interrupted build leaves no stamp.
  const stamp = join(root, 'web', 'dist', '.stamp');
  await buildWhenChanged({ sources, stamp, build });
}

async function build() {
  console.log('Building the page …');
  // The NODE_ENV of the tests would produce a slower page than the one users get.
  const env = { ...process.env, NODE_ENV: 'production' };
  await runQuietly('Building the page', process.execPath, [vite, 'build'], { cwd: join(root, 'web'), env });
}
