import { join } from 'node:path';
import { buildWhenChanged } from './build-when-changed.mjs';
import { root } from './run.mjs';

const workspaces = ['contract', 'edge', 'kit', 'platforms', 'simulators', 'server', 'sync', 'system'];

const sources = [...workspaces.flatMap((name) => [`${name}/src`, `${name}/package.json`]), 'package-lock.json'];

/**
 * Bundles the server, the sync service and what starts them into the `dist` folders of their
 * workspaces, unless they are up to date with their sources.
 */
export async function buildPrograms() {
  await buildWhenChanged({ sources, stamp: join(root, 'system', 'dist', '.stamp'), build });
}

async function build() {
  console.log('Building the programs …');
  const { register } = await import('tsx/esm/api');
  const unregister = register();
  const { bundlePrograms } = await import('@portal/system/bundle-programs');
  await bundlePrograms(root);
  await unregister();
}
