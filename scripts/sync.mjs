import { resolve } from 'node:path';
import { main, Sentence } from './run.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm run sync`: the sync service alone, over the portal's database; it runs in this very process.
 */
await main(async () => {
  const { PORTAL_CONFIG, INIT_CWD = '.' } = process.env;
  if (!PORTAL_CONFIG) throw new Sentence('The sync service needs a configuration: PORTAL_CONFIG=file npm run sync.');
  // npm changes to the project's folder; the name was given where the person stands.
  process.env.PORTAL_CONFIG = resolve(INIT_CWD, PORTAL_CONFIG);
  await setUp();
  const { register } = await import('tsx/esm/api');
  register();
  await import('@portal/sync/main');
});
