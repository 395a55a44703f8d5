import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { CommandError, getBinary, root, runSilently } from './run.mjs';

/**
 * Returns the test files that the changes since this branch left main can reach, committed or not:
 * by imports, and one browser test for each screen that they touch.
 */
export async function findChangedTests() {
  const base = await findMergeBase();
  const changed = await listChangedFiles(base);
  const names = [...new Set([...(await listReachable(base)), ...findBrowserTests(changed)])];
  console.log(`${changed.length} files differ from ${base.slice(0, 8)}; ${names.length} test files reach them.`);
  return names;
}

/** On main itself, and where it is unknown, only what is not committed counts. */
async function findMergeBase() {
  for (const main of ['main', 'origin/main']) {
    const { code, output } = await git('merge-base', 'HEAD', main);
    if (code === 0) return output.trim();
  }
  return (await git('rev-parse', 'HEAD')).output.trim();
}

function git(...args) {
  return runSilently('git', args);
}

async function listChangedFiles(base) {
  const outputs = await Promise.all([
    git('diff', '--name-only', base),
    git('ls-files', '--others', '--exclude-standard'),
  ]);
  return outputs.flatMap(({ output }) => output.split('\n')).filter(Boolean);
}

/**
 * Returns the files of unit tests. The browser tests import the whole server, so nearly every
 * change reaches all of them.
 */
async function listReachable(base) {
  const folder = mkdtempSync(join(tmpdir(), 'portal-changed-'));
  const listFile = join(folder, 'tests.json');
  try {
    const args = ['list', '--filesOnly', `--json=${listFile}`, '--project', 'unit', '--changed', base];
    const { code, output } = await runSilently(getBinary('vitest'), args);
    if (code !== 0) throw new CommandError(`vitest could not list the tests:\n${output}`);
    return JSON.parse(readFileSync(listFile, 'utf8')).map(({ file }) => relative(root, file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const browserTests = 'e2e/src';
/** A feature of the server or the page is in a folder of its name. */
const feature = /^(?:server|web)\/src\/features\/([^/]+)\//;
/** What all screens share, and the features whose screen has another name. */
const sharedBy = [
  [/^web\/src\/(?!features\/)|^server\/src\/(?!features\/)/, 'shell'],
  [/^(web|server)\/src\/features\/(sessions?|environments)\/|^web\/src\/session\//, 'sign-in'],
  [/^server\/src\/features\/attention\//, 'home'],
  [/^server\/src\/features\/sync(-objects)?\/|^sync\/src\//, 'sync-both-platforms'],
  [/^system\/src\//, 'start'],
];

/**
 * Returns the browser tests of the screens that the files belong to: `e2e/src/audit.test.ts` of
 * everything in a folder `features/audit`, and of `contract/src/audit.ts`.
 */
export function findBrowserTests(changed) {
  const names = changed.flatMap((path) => [
    feature.exec(path)?.[1] ?? /^contract\/src\/(.+)\.ts$/.exec(path)?.[1]?.replace('/', '-') ?? [],
    ...sharedBy.filter(([pattern]) => pattern.test(path)).map(([, name]) => name),
  ]);
  const screens = names.map((name) => `${browserTests}/${name}.test.ts`).filter((path) => existsSync(join(root, path)));
  const files = readdirSync(join(root, browserTests)).filter((name) => name.endsWith('.test.ts'));
  const edited = changed.filter((path) => path.startsWith(`${browserTests}/`)).map((path) => basename(path));
  const importers = files.filter((file) => {
    const text = readFileSync(join(root, browserTests, file), 'utf8');
    return edited.some((name) => name === file || text.includes(`'./${name}'`));
  });
  return [...new Set([...screens, ...importers.map((file) => `${browserTests}/${file}`)])];
}
