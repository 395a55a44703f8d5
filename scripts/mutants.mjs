import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mutants } from './mutants-of-sync.mjs';
import { CommandError, getBinary, main, root, runSilently } from './run.mjs';
import { scratchFolder } from './scratch.mjs';

/**
 * `npm run mutants [NAME]`: applies one mutation of the sync engine after another to a copy of the
 * project, and runs the tests that must detect it. Every mutation must be caught; one that no
 * longer fits its file is a failure. The same tests first run on the unchanged copy: if they fail
 * there, their failure proves nothing about the mutation.
 *
 * `--check` runs nothing, and only looks for the text of each mutation in its file.
 */
const isCheck = process.argv[2] === '--check';
const wanted = isCheck ? '' : process.argv.slice(2).join(' ');

// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with one
const colorCodes = /\u001b\[[0-9;]*m/g;

await main(async () => {
  if (isCheck) return findMisfits();
  const folder = mkdtempSync(join(tmpdir(), 'portal-mutants-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  copyTo(folder);
  const chosen = mutants.filter(({ name }) => name.includes(wanted));
  if (chosen.length === 0) throw new CommandError(`There is no mutant ${wanted}.`);
  const missed = [];
  const controls = new Map();
  for (const mutant of chosen) {
    const verdict = (await passesUnchanged(folder, mutant, controls)) ? await tryMutant(folder, mutant) : 'no control';
    console.log(`${verdict.padEnd(10)} ${mutant.name}`);
    if (verdict !== 'caught') missed.push(mutant.name);
  }
  console.log(`${chosen.length - missed.length} caught, ${missed.length} missed`);
  return missed.length === 0 ? 0 : 1;
});

function findMisfits() {
  const misfits = mutants.flatMap(({ name, changes }) =>
    changes
      .filter(({ file, from }) => !existsSync(join(root, file)) || countIn(file, from) !== 1)
      .map(({ file }) => `"${name}" does not fit ${file}: its text must be there exactly once.`),
  );
  for (const misfit of misfits) console.log(misfit);
  return misfits.length === 0 ? 0 : 1;
}

function countIn(file, text) {
  return readFileSync(join(root, file), 'utf8').split(text).length - 1;
}

/** Runs once for each selection of tests, which several mutants share. */
async function passesUnchanged(folder, mutant, controls) {
  const choice = JSON.stringify([mutant.tests, mutant.only]);
  if (!controls.has(choice)) controls.set(choice, await runTests(folder, mutant));
  return controls.get(choice) === 'passed';
}

async function tryMutant(folder, mutant) {
  const texts = new Map(mutant.changes.map(({ file }) => [file, readFileSync(join(folder, file), 'utf8')]));
  try {
    for (const { file, from, to } of mutant.changes) {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!text.includes(from)) return 'stale';
      writeFileSync(
        join(folder, file),
        text.replace(from, () => to),
      );
    }
    return { passed: 'missed', failed: 'caught', broken: 'broken' }[await runTests(folder, mutant)];
  } finally {
    for (const [file, text] of texts) writeFileSync(join(folder, file), text);
  }
}

/** Returns 'passed', 'failed', or 'broken' if the tests could not run, which proves nothing. */
async function runTests(folder, { tests, only }) {
  const env = { ...process.env, TMPDIR: scratchFolder() };
  const args = ['run', '--project', 'unit', '--bail', '1', ...tests, ...(only ? ['-t', only] : [])];
  const { code, output } = await runSilently(getBinary('vitest'), args, { cwd: folder, env });
  if (!/Tests .*\d+ (passed|failed)/.test(stripColors(output))) return 'broken';
  return code === 0 ? 'passed' : 'failed';
}

/** Copies all files known to git in their current state, and links the dependencies. */
function copyTo(folder) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => /\.(ts|mjs|json|sql)$/.test(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { force: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

function stripColors(text) {
  return text.replace(colorCodes, '');
}
