import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPrograms } from './build-programs.mjs';
import { CommandError, main, root } from './run.mjs';
import { setUp } from './setup.mjs';

/** `npm run sync`: runs only the sync service, in this process, with the portal's database. */
await main(async () => {
  const { PORTAL_CONFIG, INIT_CWD = '.' } = process.env;
  if (!PORTAL_CONFIG)
    throw new CommandError('The sync service needs a configuration: PORTAL_CONFIG=file npm run sync.');
  // npm changes to the project's folder, but the user gave the name relative to their own folder.
  process.env.PORTAL_CONFIG = resolve(INIT_CWD, PORTAL_CONFIG);
  await setUp();
  await buildPrograms();
  await import(pathToFileURL(join(root, 'sync', 'dist', 'main.mjs')).href);
});
