import { join, resolve } from 'node:path';
import { CommandError, main, root, run } from './run.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm run doctor -- [--environment NAME] [--toggle APP UNIT:EVENT] [--log-seconds N]`: see
 * server/src/doctor/main.ts.
 */
await main(async () => {
  const { PORTAL_CONFIG, INIT_CWD = '.' } = process.env;
  if (!PORTAL_CONFIG)
    throw new CommandError(
      'The doctor needs a configuration: PORTAL_CONFIG=file npm run doctor -- --environment NAME.',
    );
  // npm changes to the project's folder, but the user gave the name relative to their own folder.
  process.env.PORTAL_CONFIG = resolve(INIT_CWD, PORTAL_CONFIG);
  await setUp();
  const source = join(root, 'server', 'src', 'doctor', 'main.ts');
  return run(process.execPath, ['--import', 'tsx', source, ...process.argv.slice(2)]);
});
