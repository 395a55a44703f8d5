import { writeFileSync, writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Counts the results of the whole run for its last line. A file that fails to load, a failed hook
 * of a group and an error outside any test also count as failures, because their tests did not run.
 * With `PORTAL_TALLY`, writes the counts to that file, and `npm test` prints the line after all
 * other output; otherwise prints the line when the process exits.
 */
export default class ClosingLine implements Reporter {
  private tally: Tally = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    process.once('exit', () => this.close());
  }

  /** A soak runs for hours: it prints each failure when it happens, not only at the end. */
  onTestCaseResult(test: TestCase): void {
    if (process.env.WHOLE !== '1') return;
    for (const { message } of test.result().errors ?? []) writeSync(2, `\n${test.fullName}\n${message}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    // A run without files did not start: its setup failed, or there is nothing to test.
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
      // A test that did not finish did not pass.
      tally[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return tally;
}

function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
