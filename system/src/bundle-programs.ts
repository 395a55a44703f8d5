/**
 * Bundles the programs of `npm start`, each into one file of plain JavaScript. To load the sources
 * takes most of a start: `tsx` passes each of a thousand modules between two threads.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const project = join(import.meta.dirname, '..', '..');

/** Makes `require` available to the CommonJS packages in an ES module. */
const banner = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
].join(' ');

/** By the path of the bundle. Threads have the names under which programs look for them. */
const programs = {
  'server/dist/main': 'server/src/main.ts',
  'server/dist/calendar-thread': 'platforms/src/roster/calendar/calendar-worker.ts',
  'server/dist/shifts-csv-thread': 'server/src/features/support-roster/portal-roster/shifts-csv-worker.ts',
  'sync/dist/main': 'sync/src/main.ts',
  'system/dist/run-system': 'system/src/run-system.ts',
};

const migrations = {
  'server/dist/migrations': 'server/src/database/migrations',
  'sync/dist/migrations': 'sync/src/portal-store/migrations',
};

/**
 * @param folder gets the `dist` folders of the workspaces. Packages with files of their own are not
 * bundled, and must be found from there.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  for (const workspace of ['server', 'sync', 'system'])
    rmSync(join(folder, workspace, 'dist'), { recursive: true, force: true });
  await build({
    absWorkingDir: project,
    entryPoints: Object.entries(programs).map(([out, source]) => ({ in: source, out })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native', '@fastify/swagger-ui'],
    banner: { js: banner },
    logLevel: 'error',
  });
  for (const [path, source] of Object.entries(migrations))
    cpSync(join(project, source), join(folder, path), { recursive: true });
}
