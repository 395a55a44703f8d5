import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runSilently, Sentence } from './run.mjs';

const leastNode = [20, 19];

/** Makes sure everything the project is made of is there. Throws a Sentence when it cannot be. */
export async function setUp() {
  requireNode();
  const lockFile = join(root, 'package-lock.json');
  if (isInstalled(existsSync(lockFile) ? packagesIn(lockFile) : {})) return;
  console.log('Installing what the project is made of …');
  const clean = await npm('ci');
  if (clean.code === 0) return;
  // npm refuses a lock file that was made where not every machine's variant of a package could be
  // had. Its versions still hold when they are merely installed; the file is not touched.
  const plain = clean.said.includes('EUSAGE') ? await npm('install', '--no-save') : clean;
  if (plain.code === 0) return;
  process.stderr.write(plain.said);
  throw new Sentence('Installing failed.');
}

function npm(...args) {
  // npm tells its scripts where it lives; a script that is run by hand takes the npm of the path.
  const path = process.env.npm_execpath;
  const quiet = [...args, '--no-fund', '--no-audit', '--loglevel=error'];
  return runSilently(path ? process.execPath : 'npm', path ? [path, ...quiet] : quiet);
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = leastNode;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Sentence(`Portal needs Node ${leastNode.join('.')} or newer; this is ${process.versions.node}.`);
}

/**
 * npm writes down what it installed as its last act, so this record is missing after an install cut
 * short, and differs when the lock file has moved on. Packages for other machines are in the lock
 * file only.
 */
function isInstalled(wanted) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const there = packagesIn(record);
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      path === '' || (there[path] ? there[path].version === version : optional && !link),
  );
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
