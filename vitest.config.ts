import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/slowest-first.ts';

// Two cores: tests wait for databases, sockets and browsers about a third of their time.
const maxWorkers = 3;
const isShuffled = process.argv.some((word) => word.startsWith('--sequence.shuffle'));

/**
 * Tests are beside the code they test; `e2e` walks through the whole system in a browser, and goes
 * first, because its files are the slowest. Nothing is isolated: the files of a worker share its
 * modules, which would take a quarter of all the time to load again for each. What a module stores
 * must therefore not matter to the next file.
 */
export default defineConfig({
  test: {
    globalSetup: './scripts/vitest-setup.ts',
    sequence: isShuffled ? {} : { sequencer: SlowestFirst },
    reporters: ['default', './scripts/test-summary.ts'],
    // Files that have not changed are not compiled again in the next run.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: './scripts/seed-properties.ts',
          include: [
            '{bench,contract,kit,edge,platforms,simulators,server,sync,system,web}/src/**/*.test.ts',
            'scripts/*.test.ts',
          ],
          maxWorkers,
          isolate: false,
          // Ends what hangs; a machine that does other work at the same time must not reach it. The
          // soak reads a hundred thousand records where the suite reads some thousands.
          testTimeout: process.env.WHOLE === '1' ? 1_200_000 : 120_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.test.ts'],
          maxWorkers,
          isolate: false,
          testTimeout: 300_000,
          // The first hook builds and syncs the demo data, for which those of other workers wait.
          hookTimeout: 900_000,
          expect: { poll: { timeout: 90_000 } },
        },
      },
    ],
  },
});
