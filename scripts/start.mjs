import { fork } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPage } from './build-page.mjs';
import { buildPrograms } from './build-programs.mjs';
import { main, root } from './run.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm start [-- --size=company|large-app]`: runs the system, with simulated platforms unless there
 * is a configuration. `npm run dev` runs the sources.
 */
const isDev = process.argv.includes('--dev');
const size = process.argv.find((argument) => argument.startsWith('--size='))?.slice('--size='.length);
if (size !== undefined) process.env.PORTAL_DEMO_SIZE = size;

// The system runs in this process, which saves memory and lets it receive signals directly.
await main(async () => {
  await setUp();
  await (isDev ? runSources() : runBundles());
});

async function runBundles() {
  await buildPrograms();
  const program = pathToFileURL(join(root, 'system', 'dist', 'run-system.mjs'));
  const { runSystem } = await import(program.href);
  await runSystem({ root, services: 'bundles', preparePage: buildPage });
}

async function runSources() {
  const { register } = await import('tsx/esm/api');
  register();
  const { runSystem } = await import('@portal/system/run-system');
  await runSystem({ root, services: 'sources', startPage: startDevelopmentPage });
}

function startDevelopmentPage({ port, serverAddress }) {
  return fork(join(root, 'scripts', 'development-page.mjs'), [String(port)], {
    cwd: root,
    env: { ...process.env, PORTAL_DEV_TARGET: serverAddress },
  });
}
