/** Replicates documents in this process, so that its memory and CPU time are its own. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deviceVisit } from './app-schema.ts';

export interface PouchArgument {
  /** Where PouchDB is installed. */
  readonly folder: string;
  readonly documents: number;
}

export interface PouchResult {
  readonly ms: number;
  /** Of this process during the replication. */
  readonly cpuSeconds: number;
}

/** The parts used of PouchDB's database. */
interface PouchDatabase {
  bulkDocs(documents: readonly object[]): Promise<unknown>;
  info(): Promise<{ readonly doc_count: number }>;
  readonly replicate: {
    to(target: PouchDatabase, options: { readonly batch_size: number }): Promise<unknown>;
  };
}

interface PouchConstructor {
  new (name: string, options: { readonly adapter: 'memory' }): PouchDatabase;
  plugin(plugin: unknown): PouchConstructor;
}

const batch = 1000;

const { folder, documents }: PouchArgument = JSON.parse(process.argv[2] ?? '');
const require = createRequire(join(folder, 'package.json'));
const core: PouchConstructor = require('pouchdb-core');
const PouchDB = core.plugin(require('pouchdb-adapter-memory')).plugin(require('pouchdb-replication'));

const source = new PouchDB('source', { adapter: 'memory' });
const target = new PouchDB('target', { adapter: 'memory' });
for (let from = 0; from < documents; from += batch) {
  const page = Array.from({ length: Math.min(batch, documents - from) }, (_, at) => {
    const { id, ...fields } = deviceVisit(`visit ${from + at}`, from + at);
    return { _id: id, ...fields };
  });
  await source.bulkDocs(page);
}

const usedBefore = process.cpuUsage();
const from = performance.now();
await source.replicate.to(target, { batch_size: batch });
const ms = performance.now() - from;
const { user, system } = process.cpuUsage(usedBefore);
const { doc_count: arrived } = await target.info();
if (arrived !== documents) throw new Error(`${arrived} of ${documents} documents arrived`);
process.send?.({ ms, cpuSeconds: (user + system) / 1e6 } satisfies PouchResult);
