import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCompress);

/**
 * Writes a `.br` and a `.gz` file next to every text file of the build, so that the server need not
 * compress. Browsers accept brotli only over HTTPS.
 */
function compressedFiles(): Plugin {
  let folder = '';
  return {
    name: 'compressed-files',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && /\.(js|css|html|svg)$/.test(entry.name));
      await Promise.all(
        files.map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          const content = await readFile(path);
          const params = {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          };
          await writeFile(`${path}.br`, await brotli(content, { params }));
          await writeFile(`${path}.gz`, await gzip(content, { level: constants.Z_BEST_COMPRESSION }));
        }),
      );
    },
  };
}

/** The portal backend during development. */
const backend = process.env.PORTAL_DEV_TARGET ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressedFiles()],
  build: {
    target: 'es2023',
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files, because each costs a request and its headers: what the sign-in needs, what
          // the frame and the apps list need after it, what most other screens share, such as
          // dialogs, and icons of several screens.
          groups: [
            { name: 'start', tags: ['$initial'], priority: 3 },
            { name: 'apps', test: /web[\\/]src[\\/](signed-in|features[\\/]apps[\\/]apps-page)\.tsx$/, priority: 2 },
            { name: 'common', minShareCount: 12, priority: 1 },
            { name: 'icons', test: /@tabler[\\/]icons-react/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/portal-backend': { target: backend, ws: true },
      '/sync/': { target: backend, ws: true },
      '/sync-zm/': { target: backend, ws: true },
      '/sync-stb/': { target: backend, ws: true },
      '/healthz': backend,
      '/readyz': backend,
      '/openapi.json': backend,
    },
  },
});
