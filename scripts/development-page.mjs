import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';

/**
 * Serves the page from its sources on the given port, and forwards API calls to
 * `PORTAL_DEV_TARGET`. Runs as a process that the system forks, and ends with it.
 */
process.once('disconnect', () => process.exit());
const web = join(root, 'web');
const vite = createRequire(join(web, 'package.json')).resolve('vite');
const { createServer } = await import(pathToFileURL(vite).href);
const [port] = process.argv.slice(2);
const server = await createServer({
  root: web,
  clearScreen: false,
  server: { host: '127.0.0.1', port: Number(port), strictPort: true },
});
await server.listen();
process.send('ready');
