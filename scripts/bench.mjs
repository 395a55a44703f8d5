import { join } from 'node:path';
import { buildPage } from './build-page.mjs';
import { buildPrograms } from './build-programs.mjs';
import { requireChromium } from './chromium.mjs';
import { CommandError, main, root, run } from './run.mjs';
import { setUp } from './setup.mjs';

/** The benchmarks; each one is a file of the same name in bench/src. */
const measurements = [
  'api',
  'audit',
  'calendar',
  'company',
  'db-spy',
  'deployments',
  'fairness',
  'large',
  'large-tables',
  'logs',
  'page',
  'start',
  'sync',
  'sync-screens',
];

/** `npm run bench -- NAME …`: runs one benchmark and passes the remaining arguments to it. */
await main(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  if (!measurements.includes(name))
    throw new CommandError(`There is no benchmark "${name}". Available: ${measurements.join(', ')}.`);
  await setUp();
  await buildPage();
  await buildPrograms();
  const env = { ...process.env, CHROMIUM: await requireChromium('browser') };
  const source = join(root, 'bench', 'src', `${name}.ts`);
  return run(process.execPath, ['--import', 'tsx', source, ...args], { env });
});
