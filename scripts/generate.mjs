import { main, run } from './run.mjs';
import { setUp } from './setup.mjs';

/**
 * Generates files from schemas. With `--check`, only reports outdated files and fails if there are
 * any.
 */
await main(async () => {
  await setUp();
  return run(process.execPath, ['--import', 'tsx', 'server/src/reference/generate.ts', ...process.argv.slice(2)]);
});
