import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildPage, vite } from './page.mjs';
import { main, root } from './run.mjs';
import { setUp } from './setup.mjs';

const isDev = process.argv.includes('--dev');

// The system runs in this very process: one fewer to keep in memory, and nobody between it and a signal.
await main(async () => {
  await setUp();
  const { register } = await import('tsx/esm/api');
  register();
  const { runSystem } = await import('./system.ts');
  await runSystem(isDev ? { root, startPage: startVite } : { root, preparePage: buildPage });
});

/** Vite serves the page as it is being edited, and hands calls on to the server. */
function startVite({ port, serverAddress }) {
  return spawn(
    process.execPath,
    [vite, '--host', '127.0.0.1', '--port', String(port), '--strictPort', '--clearScreen', 'false'],
    {
      cwd: join(root, 'web'),
      env: { ...process.env, PORTAL_DEV_TARGET: serverAddress },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
}
