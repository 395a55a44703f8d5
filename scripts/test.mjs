import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './build-page.mjs';
import { requireChromium } from './chromium.mjs';
import { installed, main, run } from './run.mjs';
import { scratchFolder } from './scratch.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm test -- NAME … [--project unit|e2e]`: what follows goes to vitest. The last line counts,
 * whatever happened.
 */
const args = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'portal-tally-'));
const tallyFile = join(folder, 'tally.json');

await main(async () => {
  await setUp();
  await buildPage();
  const env = { ...process.env, TMPDIR: scratchFolder(), CHROMIUM: await requireChromium(), PORTAL_TALLY: tallyFile };
  return run(installed('vitest'), ['run', ...args], { env });
});

const { passed, failed, skipped } = readTally();
if (failed > 0 || passed === 0) process.exitCode ||= 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

/** No count at all means that the tests could not even begin. */
function readTally() {
  try {
    return JSON.parse(readFileSync(tallyFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
