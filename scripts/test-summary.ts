import { writeFileSync, writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** The long tests that this run was not asked for. They are not skipped: another run has them. */
  left: number;
  /** The files that took longest, and their seconds. */
  slowest: readonly { readonly file: string; readonly seconds: number }[];
}

const notRun: Tally = { passed: 0, failed: 1, skipped: 0, left: 0, slowest: [] };

/**
 * Counts the results of the whole run for its last line. A file that fails to load, a failed hook
 * of a group and an error outside any test also count as failures, because their tests did not run.
 * With `PORTAL_TALLY`, writes the counts to that file, and `npm test` prints the line after all
 * other output; otherwise prints the line when the process exits.
 */
export default class ClosingLine implements Reporter {
  private tally: Tally = notRun;
  private leavesLongTests = false;

  onInit({ config }: Vitest): void {
    this.leavesLongTests = config.tagsFilter !== undefined;
    process.once('exit', () => this.close());
  }

  /** A soak runs for hours: it prints each failure when it happens, not only at the end. */
  onTestCaseResult(test: TestCase): void {
    if (process.env.WHOLE !== '1') return;
    for (const { message } of test.result().errors ?? []) writeSync(2, `\n${test.fullName}\n${message}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    // A run without files did not start: its setup failed, or there is nothing to test.
    this.tally = modules.length > 0 ? this.count(modules, unhandled.length) : notRun;
    if (this.tally.passed + this.tally.failed === 0) process.exitCode = 1;
  }

  private count(modules: readonly TestModule[], errorsOutside: number): Tally {
    const tally: Tally = { ...notRun, failed: errorsOutside, slowest: findSlowest(modules) };
    for (const module of modules) {
      if (module.errors().length > 0) tally.failed += 1;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) tally.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        // A test that did not finish did not pass.
        if (state === 'pending') tally.failed += 1;
        else if (state === 'skipped' && this.leavesLongTests && isLong(test)) tally.left += 1;
        else tally[state] += 1;
      }
    }
    return tally;
  }

  private close(): void {
    const file = process.env.PORTAL_TALLY;
    if (file) writeFileSync(file, JSON.stringify(this.tally));
    else writeSync(1, `${closingLine(this.tally)}\n`);
  }
}

function findSlowest(modules: readonly TestModule[]): Tally['slowest'] {
  return modules
    .map((module) => ({ file: module.relativeModuleId, seconds: Math.round(module.diagnostic().duration / 1000) }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 10);
}

function isLong({ tags }: TestCase): boolean {
  return tags.includes('long') && !tags.includes('short');
}

function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
