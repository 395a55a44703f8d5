import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, root, runSilently } from './run.mjs';

const minNode = [20, 19];

const modules = join(root, 'node_modules');

/**
 * Downloads of `npm run postgres-versions`, and what tools have saved. `npm ci` would delete them
 * with the packages, so they are moved aside.
 */
const cache = join(modules, '.cache');
const cacheAside = join(root, '.node-modules-cache');

/**
 * Installs exactly the locked dependencies if one is missing, or if the lock file has changed since
 * the last installation. Throws a CommandError if that fails.
 */
export async function setUp() {
  requireNode();
  // After an interrupted installation.
  restoreCache();
  const lockFile = join(root, 'package-lock.json');
  if (!existsSync(lockFile)) throw new CommandError('package-lock.json is missing. Restore it, and try again.');
  if (isInstalled(readPackages(lockFile))) return;
  console.log('Installing dependencies …');
  if (existsSync(cache) && !existsSync(cacheAside)) renameSync(cache, cacheAside);
  const { code, output } = await installLocked();
  restoreCache();
  if (code === 0) return;
  process.stderr.write(output);
  throw new CommandError('The installation failed.');
}

function restoreCache() {
  if (existsSync(cacheAside) && existsSync(modules) && !existsSync(cache)) renameSync(cacheAside, cache);
}

function installLocked() {
  // npm passes its own path to scripts. A script started directly uses the npm on the PATH.
  const path = process.env.npm_execpath;
  const args = ['ci', '--no-fund', '--no-audit', '--loglevel=error'];
  return runSilently(path ? process.execPath : 'npm', path ? [path, ...args] : args);
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
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const there = readPackages(record);
  return (
    Object.keys(there).every((path) => path in wanted) &&
    Object.entries(wanted).every(
      ([path, { optional, link, ...locked }]) =>
        path === '' || (there[path] ? isSame(there[path], locked) : optional && !link),
    )
  );
}

function isSame(installed, { version, integrity }) {
  return installed.version === version && installed.integrity === integrity;
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
