import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
let folder: string;

// Inside the project, so that the files resolve vitest, and with a separate configuration.
beforeEach(() => {
  folder = mkdtempSync(join(root, 'node_modules', '.test-summary-'));
  configure({});
});

afterEach(() => rmSync(folder, { recursive: true }));

function configure(more: object): void {
  const config = { test: { reporters: ['default', join(root, 'scripts', 'test-summary.ts')], ...more } };
  write('vitest.config.mjs', `export default ${JSON.stringify(config)};`);
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function run(...args: string[]): Promise<{ code: number; lastLine: string | undefined }> {
  const { PORTAL_TALLY: _, ...env } = process.env;
  const command = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', folder, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), lastLine: stdout.trimEnd().split('\n').at(-1) }),
    );
  });
}

const imports = "import { beforeAll, describe, expect, test } from 'vitest';\n";

test('counts passed and skipped tests of all files', async () => {
  write('a.test.mjs', `${imports}test('one', () => {}); describe('group', () => test('two', () => {}));`);
  write('b.test.mjs', `${imports}test('three', () => {}); test.skip('four', () => {});`);
  expect(await run()).toEqual({ code: 0, lastLine: '3 passed, 0 failed, 1 skipped' });
});

test('counts failures of every kind', async () => {
  write('assertion.test.mjs', `${imports}test('fails', () => expect(1).toBe(2)); test('passes', () => {});`);
  write('loading.test.mjs', "import './nowhere.mjs';");
  write(
    'hook.test.mjs',
    `${imports}describe('group', () => { beforeAll(() => { throw new Error('no'); }); test('never ran', () => {}); });`,
  );
  expect(await run()).toEqual({ code: 1, lastLine: '1 passed, 3 failed, 1 skipped' });
});

test('fails the run for an error outside any test', async () => {
  write(
    'stray.test.mjs',
    `${imports}test('passes', async () => { Promise.reject(new Error('stray')); await new Promise(setImmediate); });`,
  );
  expect(await run()).toEqual({ code: 1, lastLine: '1 passed, 1 failed' });
});

test('counts a failed setup as a failure', async () => {
  write('a.test.mjs', `${imports}test('one', () => {});`);
  write('setup.mjs', "export default () => { throw new Error('no'); };");
  configure({ globalSetup: './setup.mjs' });
  expect(await run()).toEqual({ code: 1, lastLine: '0 passed, 1 failed' });
});

test('fails a run without tests', async () => {
  write('a.test.mjs', `${imports}test('one', () => {});`);
  expect(await run('-t', 'unknown')).toEqual({ code: 1, lastLine: '0 passed, 0 failed, 1 skipped' });
});

// In parts, because vitest would read it as the tag of this file.
const tagOfFile = ['//', '@module-tag long'].join(' ');

test('counts long tests that a run leaves out neither as skipped nor as passed', async () => {
  configure({ tags: [{ name: 'long' }, { name: 'short' }] });
  write(
    'long.test.mjs',
    `${tagOfFile}\n${imports}test('one', () => {}); test('two', { tags: 'short' }, () => {}); test.skip('three', () => {});`,
  );
  write('a.test.mjs', `${imports}test('four', () => {}); test.skip('five', () => {});`);
  const lastLine = '2 passed, 0 failed, 1 skipped';
  expect(await run('--tags-filter=!long || short')).toEqual({ code: 0, lastLine });
  expect(await run()).toEqual({ code: 0, lastLine: '3 passed, 0 failed, 2 skipped' });
});
