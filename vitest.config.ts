import { defineConfig } from 'vitest/config';

/**
 * Tests lie beside the code they test; `e2e` walks through the whole system in a browser, and goes
 * last. Nothing is isolated: the files a worker runs share its modules, which would take a quarter
 * of all the time to load anew for each. What a module keeps must therefore not matter to the next
 * file.
 */
export default defineConfig({
  test: {
    globalSetup: './scripts/vitest-setup.ts',
    reporters: ['default', './scripts/test-summary.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{contract,kit,platforms,server,sync,system,web}/src/**/*.test.ts', 'scripts/*.test.ts'],
          // They wait for databases and sockets about a third of their time.
          maxWorkers: 3,
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.test.ts'],
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
