import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError, main, root, run, runQuietly } from './run.mjs';

/**
 * `npm run mutants -- FILE…`: changes the files in every way that Stryker knows, one way at a time,
 * and lists the changes that no test in the folder of the first file notices. These tests run
 * without a database. Many of the changes matter to no one: read each, and add missing tests.
 *
 * Stryker is installed when it is first needed, into a folder of its own. Version 10 needs Node 22.
 */
const version = '9.6.1';
const folder = join(root, 'node_modules', '.cache', 'mutants');
const stryker = join(folder, 'node_modules', '@stryker-mutator');

await main(async () => {
  const files = process.argv.slice(2);
  const missing = files.find((file) => !existsSync(join(root, file)));
  if (missing !== undefined) throw new CommandError(`There is no file ${missing}.`);
  const [first] = files;
  if (!first) throw new CommandError('Name the files to change, such as sync/src/record/merge.ts.');
  await install();
  writeFileSync(join(folder, 'stryker.json'), JSON.stringify(configure(files, dirname(first))));
  return run(process.execPath, [join(stryker, 'core', 'bin', 'stryker.js'), 'run', join(folder, 'stryker.json')]);
});

async function install() {
  if (existsSync(join(stryker, 'vitest-runner'))) return;
  mkdirSync(folder, { recursive: true });
  // Without the peer it asks for, which is the project's own vitest.
  const npm = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-save', '--no-fund', '--no-audit'];
  const wanted = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${version}`);
  await runQuietly('Installing Stryker', 'npm', [...npm, '--prefix', folder, ...wanted]);
}

function configure(files, tests) {
  return {
    mutate: files,
    testRunner: 'vitest',
    plugins: [join(stryker, 'vitest-runner', 'dist', 'src', 'index.js')],
    vitest: { configFile: 'vitest-mutants.config.ts', dir: tests, related: false },
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false },
    ignorePatterns: ['.portal', 'docs', 'findings', 'pictures', 'dist'],
    tempDirName: join(tmpdir(), 'portal-mutants'),
    // Stryker rewrites such a file with a part of TypeScript that version 7 no longer has.
    tsconfigFile: 'none',
    ignoreStatic: true,
    concurrency: 1,
    // A loaded machine must not make a change look noticed.
    timeoutMS: 60_000,
  };
}
