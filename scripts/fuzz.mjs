import { join } from 'node:path';
import { main, root, run } from './run.mjs';
import { setUp } from './setup.mjs';

/** `npm run fuzz -- [REQUESTS] [SEED]`: see bench/src/fuzz.ts. */
await main(async () => {
  await setUp();
  const source = join(root, 'bench', 'src', 'fuzz.ts');
  return run(process.execPath, ['--import', 'tsx', source, ...process.argv.slice(2)]);
});
