import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './build-page.mjs';
import { requireChromium } from './chromium.mjs';
import { getBinary, main, run } from './run.mjs';
import { scratchFolder } from './scratch.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm test -- NAME … [--project unit|e2e]`: runs all tests; the arguments are passed to vitest.
 * The last line shows the counts, even after a failure.
 */
const args = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'portal-tally-'));
const tallyFile = join(folder, 'tally.json');

await main(async () => {
  await setUp();
  await buildPage();
  const env = { ...process.env, TMPDIR: scratchFolder(), CHROMIUM: await requireChromium(), PORTAL_TALLY: tallyFile };
  return run(getBinary('vitest'), ['run', ...args], { env });
});

const { passed, failed, skipped } = readTally();
if (failed > 0 || passed === 0) process.exitCode ||= 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

/** Without counts, the tests could not start. */
function readTally() {
  try {
    return JSON.parse(readFileSync(tallyFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
