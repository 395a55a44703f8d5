import { fork } from 'node:child_process';
import { join } from 'node:path';
import { buildPage } from './build-page.mjs';
import { main, root } from './run.mjs';
import { setUp } from './setup.mjs';

const isDev = process.argv.includes('--dev');

// The system runs in this process, which saves memory and lets it receive signals directly.
await main(async () => {
  await setUp();
  const { register } = await import('tsx/esm/api');
  register();
  const { runSystem } = await import('@portal/system/run-system');
  await runSystem(isDev ? { root, startPage: startDevelopmentPage } : { root, preparePage: buildPage });
});

function startDevelopmentPage({ port, serverAddress }) {
  return fork(join(root, 'scripts', 'development-page.mjs'), [String(port)], {
    cwd: root,
    env: { ...process.env, PORTAL_DEV_TARGET: serverAddress },
  });
}
