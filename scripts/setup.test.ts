// @module-tag long

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const scripts = dirname(fileURLToPath(import.meta.url));
const npmFlags = ['--no-fund', '--no-audit', '--offline', '--loglevel=error'];

let folder: string;
const path = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const readVersion = () => JSON.parse(read('node_modules/dep/package.json')).version;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portal-setup-'));
  mkdirSync(path('scripts'));
  for (const name of ['setup.mjs', 'run.mjs']) copyFileSync(join(scripts, name), path(`scripts/${name}`));
  lock('1.0.0');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: object): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), JSON.stringify(content, null, 2));
}

function npm(args: readonly string[], cwd: string): void {
  execFileSync('npm', [...args, ...npmFlags], { cwd, stdio: 'ignore' });
}

/** Makes a version of the only dependency, and a lock file that has it. */
function lock(version: string): void {
  write('source/package.json', { name: 'dep', version });
  npm(['pack', '--pack-destination', folder], path('source'));
  // Elsewhere, because npm would record the change in the installed packages, too.
  const file = `dep-${version}.tgz`;
  write('locking/package.json', { name: 'project', version: '1.0.0', dependencies: { dep: `file:${file}` } });
  copyFileSync(path(file), path(`locking/${file}`));
  npm(['install', '--package-lock-only'], path('locking'));
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(path(`locking/${name}`), path(name));
}

/** Runs the setup as `npm start` does. */
function setUp(): { readonly code: number | null; readonly output: string } {
  const program = `import { main } from './scripts/run.mjs'; import { setUp } from './scripts/setup.mjs'; await main(setUp);`;
  const { npm_execpath: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    env: { ...env, npm_config_offline: 'true' },
    encoding: 'utf8',
  });
  return { code: status, output: stdout + stderr };
}

it('a start installs what is locked, and a later one does nothing', { tags: 'short' }, () => {
  expect(setUp()).toEqual({ code: 0, output: 'Installing dependencies …\n' });
  expect(readVersion()).toBe('1.0.0');
  // As an interrupted installation leaves it.
  write('.node-modules-cache/postgres.json', {});
  expect(setUp()).toEqual({ code: 0, output: '' });
  expect(existsSync(path('node_modules/.cache/postgres.json'))).toBe(true);
});

it('a start after a change of the lock file installs exactly that, and keeps what tools have saved', () => {
  setUp();
  write('node_modules/.cache/postgres/11/package.json', {});
  lock('2.0.0');
  const locked = read('package-lock.json');
  expect(setUp()).toEqual({ code: 0, output: 'Installing dependencies …\n' });
  expect(readVersion()).toBe('2.0.0');
  expect(read('package-lock.json')).toBe(locked);
  expect(existsSync(path('node_modules/.cache/postgres/11/package.json'))).toBe(true);
  expect(existsSync(path('.node-modules-cache'))).toBe(false);
});

it('a later start installs a missing package, and removes one that is not locked', () => {
  setUp();
  const record = JSON.parse(read('node_modules/.package-lock.json'));
  write('node_modules/.package-lock.json', {
    ...record,
    packages: { ...record.packages, 'node_modules/other': { version: '1.0.0' } },
  });
  write('node_modules/other/package.json', { name: 'other', version: '1.0.0' });
  expect(setUp().code).toBe(0);
  expect(existsSync(path('node_modules/other'))).toBe(false);
  rmSync(path('node_modules/.package-lock.json'));
  rmSync(path('node_modules/dep'), { recursive: true });
  expect(setUp().code).toBe(0);
  expect(readVersion()).toBe('1.0.0');
});

it('a later start refuses packages with other content than the lock file has, and dependencies that are not locked', () => {
  setUp();
  const changed = JSON.parse(read('package-lock.json'));
  changed.packages['node_modules/dep'].integrity = `sha512-${'A'.repeat(86)}==`;
  write('package-lock.json', changed);
  expect(setUp()).toMatchObject({ code: 1, output: expect.stringContaining('EINTEGRITY') });

  lock('1.0.0');
  write('package.json', { name: 'project', version: '1.0.0', dependencies: { dep: 'file:dep-2.0.0.tgz' } });
  rmSync(path('node_modules'), { recursive: true, force: true });
  mkdirSync(path('node_modules'));
  const locked = read('package-lock.json');
  expect(setUp()).toMatchObject({ code: 1, output: expect.stringContaining('The installation failed.') });
  expect(read('package-lock.json')).toBe(locked);
});
