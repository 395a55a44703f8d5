/** The peer: PouchDB, a document database that replicates, between two databases in memory. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../child.ts';
import type { PouchArgument, PouchResult } from './pouchdb-child.ts';

const version = '9.0.0';
const packages = ['pouchdb-core', 'pouchdb-adapter-memory', 'pouchdb-replication'];
/** Installed when it is first measured, because nothing else needs it. */
const folder = fileURLToPath(new URL('../../../node_modules/.cache/pouchdb', import.meta.url));

export async function replicateInPouch(documents: number): Promise<PouchResult> {
  if (!packages.every((name) => existsSync(join(folder, 'node_modules', name)))) {
    mkdirSync(folder, { recursive: true });
    const named = packages.map((name) => `${name}@${version}`);
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...named], { stdio: 'ignore' });
  }
  const child = await startChild<PouchResult>('./sync/pouchdb-child.ts', { folder, documents } satisfies PouchArgument);
  await child.stop();
  return child.ready;
}
