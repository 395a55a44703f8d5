import { buildPage } from './build-page.mjs';
import { requireChromium } from './chromium.mjs';
import { main, run } from './run.mjs';
import { setUp } from './setup.mjs';

/** Takes the pictures of every screen, in `pictures/`, from a running portal. */
await main(async () => {
  await setUp();
  await buildPage();
  const env = { ...process.env, CHROMIUM: await requireChromium() };
  return run(process.execPath, ['--import', 'tsx', 'e2e/src/pictures.ts', ...process.argv.slice(2)], { env });
});
