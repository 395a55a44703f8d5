import { existsSync } from 'node:fs';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the built page. Files under assets/ carry a hash of their content in the name and never
 * change; everything else is asked for again each time. Beside each file lies its brotli form, made
 * when the page was built.
 */
export async function serveStaticFiles(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(folder)) {
    app.log.warn({ folder }, 'the page is not built, only the calls are served');
    return;
  }
  await app.register(files, {
    root: folder,
    preCompressed: true,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders(reply, path) {
      const isHashed = path.includes('/assets/');
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
