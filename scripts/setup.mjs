import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, root, runSilently } from './run.mjs';

const minNode = [20, 19];

/** Installs the dependencies if they are missing. Throws a CommandError if that fails. */
export async function setUp() {
  requireNode();
  const lockFile = join(root, 'package-lock.json');
  if (isInstalled(existsSync(lockFile) ? readPackages(lockFile) : {})) return;
  console.log('Installing dependencies …');
  // `npm ci` would remove the PostgreSQL versions that `npm run postgres-versions` has downloaded.
  const isFirst = !existsSync(join(root, 'node_modules'));
  const { code, output } = await (isFirst ? npm('ci') : npm('install', '--no-save'));
  if (code === 0) return;
  process.stderr.write(output);
  throw new CommandError('The installation failed.');
}

function npm(...args) {
  // npm passes its own path to scripts. A script started directly uses the npm on the PATH.
  const path = process.env.npm_execpath;
  const quiet = [...args, '--no-fund', '--no-audit', '--loglevel=error'];
  return runSilently(path ? process.execPath : 'npm', path ? [path, ...quiet] : quiet);
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [minMajor, minMinor] = minNode;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  throw new CommandError(`Portal needs Node ${minNode.join('.')} or newer; this is ${process.versions.node}.`);
}

/**
 * npm writes this record as its last step, so it is missing after an interrupted install and
 * differs after a change of the lock file. Packages for other platforms are in the lock file only.
 */
function isInstalled(wanted) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const there = readPackages(record);
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      path === '' || (there[path] ? there[path].version === version : optional && !link),
  );
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
