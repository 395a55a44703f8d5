import { defineConfig } from 'vitest/config';

/** For `npm run mutants`: tests that need no database, one file at a time, as Stryker requires. */
export default defineConfig({
  test: { setupFiles: './scripts/seed-properties.ts', testTimeout: 120_000 },
});
