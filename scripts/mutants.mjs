import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mutants } from './mutants-of-sync.mjs';
import { installed, main, root, runSilently, Sentence } from './run.mjs';

/**
 * `npm run mutants [NAME]`: breaks the sync engine in one way after another, in a copy of the project, and sees whether
 * the tests notice. Each must be caught; a mutation that no longer fits its file is a failure too.
 */
const wanted = process.argv.slice(2).join(' ');

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[0-9;]*m/g;

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-mutants-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  copyTo(folder);
  const chosen = mutants.filter(({ name }) => name.includes(wanted));
  if (chosen.length === 0) throw new Sentence(`There is no mutant ${wanted}.`);
  const missed = [];
  for (const mutant of chosen) {
    const verdict = await tryMutant(folder, mutant);
    console.log(`${verdict.padEnd(8)} ${mutant.name}`);
    if (verdict !== 'caught') missed.push(mutant.name);
  }
  console.log(`${chosen.length - missed.length} caught, ${missed.length} missed`);
  return missed.length === 0 ? 0 : 1;
});

async function tryMutant(folder, { changes, tests, only }) {
  const texts = new Map(changes.map(({ file }) => [file, readFileSync(join(root, file), 'utf8')]));
  try {
    for (const { file, from, to } of changes) {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!text.includes(from)) return 'stale';
      writeFileSync(
        join(folder, file),
        text.replace(from, () => to),
      );
    }
    const args = ['run', '--project', 'unit', '--bail', '1', ...tests, ...(only ? ['-t', only] : [])];
    const { code, said } = await runSilently(installed('vitest'), args, { cwd: folder });
    // What could not even begin has proved nothing.
    if (!/Tests .*\d+ (passed|failed)/.test(stripped(said))) return 'broken';
    return code === 0 ? 'missed' : 'caught';
  } finally {
    for (const [file, text] of texts) writeFileSync(join(folder, file), text);
  }
}

/** Everything git knows of, as it is now, and the dependencies as they are. */
function copyTo(folder) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => /\.(ts|mjs|json|sql)$/.test(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { force: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

function stripped(text) {
  return text.replace(COLOURS, '');
}
