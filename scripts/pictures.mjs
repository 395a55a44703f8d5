import { buildPage } from './build-page.mjs';
import { requireChromium } from './chromium.mjs';
import { main, run } from './run.mjs';
import { setUp } from './setup.mjs';

/** Takes screenshots of every screen of a running portal, in `pictures/`. */
await main(async () => {
  await setUp();
  await buildPage();
  const env = { ...process.env, CHROMIUM: await requireChromium() };
  return run(process.execPath, ['--import', 'tsx', 'e2e/src/pictures.ts', ...process.argv.slice(2)], { env });
});
