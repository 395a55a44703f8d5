import { writeFileSync, writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Counts the whole run for its closing line. A file that cannot be loaded, a hook of a group that
 * fails and an error outside any test are failures too: their tests never ran. With `PORTAL_TALLY`
 * set the count goes to that file and `npm test` prints the line, after everything else there is to
 * say; else it is printed as the process ends.
 */
export default class ClosingLine implements Reporter {
  private tally: Tally = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    process.once('exit', () => this.close());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    // Without a single file the run never began: the setup before it failed, or there is nothing to
    // test.
    this.tally = modules.length > 0 ? count(modules, unhandled.length) : { passed: 0, failed: 1, skipped: 0 };
    if (this.tally.passed + this.tally.failed === 0) process.exitCode = 1;
  }

  private close(): void {
    const file = process.env.PORTAL_TALLY;
    if (file) writeFileSync(file, JSON.stringify(this.tally));
    else writeSync(1, `${closingLine(this.tally)}\n`);
  }
}

function count(modules: readonly TestModule[], errorsOutside: number): Tally {
  const tally: Tally = { passed: 0, failed: errorsOutside, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) tally.failed += 1;
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) tally.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test that never came to its end did not pass.
      tally[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return tally;
}

function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
