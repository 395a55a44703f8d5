import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './build-page.mjs';
import { findChangedTests } from './changed-tests.mjs';
import { requireChromium } from './chromium.mjs';
import { getBinary, main, run } from './run.mjs';
import { scratchFolder } from './scratch.mjs';
import { setUp } from './setup.mjs';

/**
 * Runs tests; other arguments are passed to vitest. The last line shows the counts, even after a
 * failure.
 *
 * - `npm test`: all tests but the long ones.
 * - `npm run test:all`: all tests.
 * - `npm test -- NAME …`: all tests of the files whose path contains a name.
 * - `npm test -- --changed`: those of `npm test` that the changes since the branch left main can
 *   reach, and one path through each screen that they touch.
 */
const words = process.argv.slice(2);
const isChanged = words.includes('--changed');
const args = words.filter((word) => word !== '--all' && word !== '--changed');
// The value of an option is no name.
const hasNames = args.some((word, at) => !word.startsWith('-') && !/^--?[^=]+$/.test(args[at - 1] ?? ''));
const filter = words.includes('--all') || hasNames ? [] : ['--tags-filter=!long || short'];
const folder = mkdtempSync(join(tmpdir(), 'portal-tally-'));
const tallyFile = join(folder, 'tally.json');

await main(async () => {
  await setUp();
  const names = isChanged ? await findChangedTests() : [];
  // Without a name, vitest would run everything.
  if (isChanged && names.length === 0) process.exit();
  await buildPage();
  const env = { ...process.env, TMPDIR: scratchFolder(), CHROMIUM: await requireChromium(), PORTAL_TALLY: tallyFile };
  return run(getBinary('vitest'), ['run', ...filter, ...args, ...names], { env });
});

const { passed, failed, skipped, left, slowest } = readTally();
if (failed > 0 || passed === 0) process.exitCode ||= 1;
if (slowest.length === 10) {
  console.log('\nSlowest files, in seconds:');
  for (const { file, seconds } of slowest) console.log(`${String(seconds).padStart(5)}  ${file}`);
}
if (left > 0) console.log(`${left} long tests were left to npm run test:all.`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

/** Without counts, the tests could not start. */
function readTally() {
  try {
    return JSON.parse(readFileSync(tallyFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, left: 0, slowest: [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
