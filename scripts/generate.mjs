import { main, run } from './run.mjs';
import { setUp } from './setup.mjs';

/**
 * Writes what is generated from schemas; with `--check` it only says what is out of date, and
 * fails.
 */
await main(async () => {
  await setUp();
  return run(process.execPath, ['--import', 'tsx', 'server/src/reference/generate.ts', ...process.argv.slice(2)]);
});
