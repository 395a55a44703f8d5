/**
 * The peer: Bucardo, two-way replication with triggers, between two databases of Debian's
 * PostgreSQL: `apt-get install bucardo postgresql-15 postgresql-plperl-15`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getTreeUsage } from '@portal/e2e/processes';
import { startPostgres } from '@portal/kit/postgres/launcher';
import pg from 'pg';
import { plainTable } from './app-schema.ts';
import { getServerCpuSeconds } from './clusters.ts';
import { waitUntil } from './sync-world.ts';

const debianFolder = '/usr/lib/postgresql';

export interface Bucardo {
  /** Sessions with the two databases, each with a table `visit`. */
  readonly sides: readonly [pg.Client, pg.Client];
  /** Replicates what has changed so far. */
  kick(): void;
  /** From now on, each change is replicated at once. */
  kickAtEachChange(): Promise<void>;
  /** CPU seconds that its processes and the server have used so far. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

export function hasBucardo(): boolean {
  return findPrograms() !== undefined && spawnSync('bucardo', ['--version']).status === 0;
}

/** Starts a server in the folder and Bucardo with one sync of the table in both directions. */
export async function startBucardo(folder: string): Promise<Bucardo> {
  const programs = findPrograms();
  if (!programs) throw new Error('Bucardo is not installed: see docs/benchmarks.md.');
  const settings = { synchronous_commit: 'on', shared_buffers: '128MB', max_wal_size: '2GB', jit: 'off' };
  const server = await startPostgres({ dataDir: join(folder, 'server'), programs, isFast: true, settings });
  const { host, port, password } = server;
  const open = async (database: string) => {
    const client = new pg.Client(server.urlFor(database));
    await client.connect();
    return client;
  };
  const owner = await open('postgres');
  await owner.query(`create role bucardo superuser login password '${password}'`);
  await owner.query('create database one');
  await owner.query('create database other');
  const sides = [await open('one'), await open('other')] as const;
  for (const side of sides) await side.query(plainTable);

  mkdirSync(join(folder, 'run'));
  const run = (words: readonly string[], stdout: 'pipe' | 'ignore' = 'pipe') => {
    const user = words[0] === 'install' ? 'postgres' : 'bucardo';
    const address = ['--dbhost', host, '--dbport', String(port), '--dbuser', user, '--dbpass', password];
    return execFileSync('bucardo', [...address, '--log-destination', folder, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', stdout, stdout],
      cwd: folder,
      env: { ...process.env, HOME: folder, PGPASSWORD: password },
    });
  };
  // Relative, because Bucardo turns its settings into lower case.
  run(['install', '--batch', '--piddir', 'run']);
  const login = [`host=${host}`, `port=${port}`, 'user=bucardo', `pass=${password}`];
  for (const database of ['one', 'other']) run(['add', 'db', database, `dbname=${database}`, ...login]);
  run(['add', 'table', 'visit', 'db=one', 'relgroup=visits']);
  run([
    'add',
    'sync',
    'visits',
    'relgroup=visits',
    'dbs=one:source,other:source',
    'conflict_strategy=bucardo_latest',
    'autokick=0',
  ]);
  /** Returns whether the replication it waited for was done. A reload may still end it. */
  const wasKicked = () => {
    try {
      run(['kick', 'visits', '60']);
      return true;
    } catch (error) {
      if (error instanceof Error && 'stdout' in error && String(error.stdout).includes('KILLED')) return false;
      throw error;
    }
  };
  // Its daemons would keep a pipe open.
  run(['start'], 'ignore');
  run(['ping', '60']);
  run(['kick', 'visits', '60']);
  const pid = Number(/PID of Bucardo MCP: (\d+)/.exec(run(['status']))?.[1]);

  return {
    sides,
    kick: () => void run(['kick', 'visits']),
    async kickAtEachChange() {
      run(['update', 'sync', 'visits', 'autokick=1']);
      run(['reload', 'visits']);
      await waitUntil(async () => wasKicked());
    },
    cpuSeconds: async () => getTreeUsage(pid).cpuSeconds + (await getServerCpuSeconds(owner)),
    async stop() {
      run(['stop']);
      await Promise.all([owner, ...sides].map((session) => session.end()));
      await server.stop();
    },
  };
}

/** Returns the folder of Debian's newest server that has PL/Perl, which Bucardo needs. */
function findPrograms(): string | undefined {
  if (!existsSync(debianFolder)) return undefined;
  const versions = readdirSync(debianFolder).sort((one, other) => Number(other) - Number(one));
  const version = versions.find((name) => existsSync(join(debianFolder, name, 'lib/plperl.so')));
  return version && join(debianFolder, version, 'bin');
}
