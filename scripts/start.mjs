import { fork } from 'node:child_process';
import { join } from 'node:path';
import { buildPage } from './build-page.mjs';
import { main, root } from './run.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm start [-- --size=company]`: runs the system, with simulated platforms unless there is a
 * configuration.
 */
const isDev = process.argv.includes('--dev');
const size = process.argv.find((argument) => argument.startsWith('--size='))?.slice('--size='.length);
if (size !== undefined) process.env.PORTAL_DEMO_SIZE = size;

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
