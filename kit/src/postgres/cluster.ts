import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, accountForServer, canEnter } from './account.ts';
import { type Binaries, findBinaries, findMajorVersion } from './binaries.ts';
import { reasonFrom } from './server-log.ts';

/**
 * Data of root's server when its account cannot enter the folder it was asked to use, such as one
 * under /root.
 */
const dataOfOtherAccounts = '/var/lib/embedded-postgres';

export const superuser = 'postgres';

/** Everything needed to start the server of one data folder. */
export interface Cluster {
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** Where PostgreSQL keeps its files, readable by its account. */
  readonly pgdata: string;
  /** Of the superuser. */
  readonly password: string;
}

export interface ClusterOptions {
  /** For data nobody will miss: faster, but a crash of the machine may damage it. */
  readonly fast?: boolean;
  /** A folder of PostgreSQL programs other than the embedded ones. */
  readonly programs?: string;
}

/**
 * Finds the cluster in the folder, or makes one. The folder holds `data`, or a link to it, and
 * `password`.
 */
export function prepareCluster(folder: string, { fast = false, programs }: ClusterOptions): Cluster {
  const link = join(folder, 'data');
  const account = accountForServer(link);
  const binaries = findBinaries(account, programs);
  const password = passwordIn(folder);
  if (account) chmodSync(folder, 0o711);
  const pgdata = account && !canEnter(folder, account) ? relocated(folder, link) : link;
  const cluster = { binaries, account, pgdata, password };
  if (!existsSync(join(pgdata, 'PG_VERSION'))) initialise(cluster, fast);
  return cluster;
}

function passwordIn(folder: string): string {
  const file = join(folder, 'password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function relocated(folder: string, link: string): string {
  const origin = realpathSync(folder);
  const elsewhere = join(dataOfOtherAccounts, createHash('sha256').update(origin).digest('hex').slice(0, 16));
  mkdirSync(dataOfOtherAccounts, { recursive: true, mode: 0o711 });
  removeOrphans();
  if (!lstatSync(link, { throwIfNoEntry: false })) {
    // Whoever deletes the folder wants to begin anew: what a folder of the same name left behind
    // does not come back.
    rmSync(elsewhere, { recursive: true, force: true });
    writeFileSync(`${elsewhere}${originFile}`, origin);
    symlinkSync(elsewhere, link);
  }
  return elsewhere;
}

const originFile = '.origin';

/**
 * What belonged to temporary folders that are gone. Any other folder may come back, with the disk
 * it is on.
 */
function removeOrphans(): void {
  for (const name of readdirSync(dataOfOtherAccounts)) {
    const note = join(dataOfOtherAccounts, name);
    if (!name.endsWith(originFile)) continue;
    const origin = readFileSync(note, 'utf8');
    if (!origin.startsWith(realpathSync(tmpdir())) || existsSync(origin)) continue;
    for (const path of [note.slice(0, -originFile.length), note]) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * initdb is done beside the data and moved into place, so that one cut short leaves nothing half
 * made.
 */
function initialise({ binaries, account, pgdata, password }: Cluster, fast: boolean): void {
  const unfinished = `${pgdata}.unfinished`;
  const passwordFile = `${pgdata}.password`;
  try {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    rmSync(passwordFile, { force: true });
    writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (account) for (const path of [unfinished, passwordFile]) chownSync(path, account.uid, account.gid);
    runInitdb(binaries, account, ['--pgdata', unfinished, '--pwfile', passwordFile, ...(fast ? ['--no-sync'] : [])]);
    renameSync(unfinished, pgdata);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function runInitdb(binaries: Binaries, account: Account | undefined, options: string[]): void {
  const access = ['--username', superuser, '--auth', 'scram-sha-256'];
  // The built-in C.UTF-8 sorts alike on every system, whichever locales it has.
  const builtin = ['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'];
  const major = findMajorVersion(binaries);
  const locale = ['--encoding', 'UTF8', '--locale', 'C', ...(major >= 17 ? builtin : [])];
  const quiet = major >= 14 ? ['--no-instructions'] : [];
  const result = spawnSync(binaries.initdb, [...options, ...access, ...locale, ...quiet], {
    ...account,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  const said =
    result.error?.message ?? reasonFrom(result.stderr.replaceAll('error: ', 'FATAL: ')) ?? 'initdb said nothing.';
  throw new Error(`PostgreSQL cannot set up its data: ${said}`);
}
