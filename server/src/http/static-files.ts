import { existsSync } from 'node:fs';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the built page. Files in assets/ have a content hash in their name and are cached forever;
 * all others are revalidated. Each file has a brotli and a gzip version from the build.
 */
export async function serveStaticFiles(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(folder)) {
    app.log.warn({ folder }, 'the page is not built; serving the API only');
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
