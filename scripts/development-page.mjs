import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';

/**
 * Serves the page as it is being edited, on the port it is given, and hands calls on to
 * `PORTAL_DEV_TARGET`. A process of its own, forked by the one that starts the system, and gone
 * when that is gone.
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
