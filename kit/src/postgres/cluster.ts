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
import { type Binaries, findBinaries, findMajorVersion } from './binaries.ts';
import { canEnter, getServerAccount, type OsAccount } from './os-account.ts';
import { parseStopReason } from './server-log.ts';

/**
 * Data folder for a server started by root whose account cannot enter the requested folder, such as
 * one under /root.
 */
const relocatedDataFolder = '/var/lib/embedded-postgres';

export const superuser = 'postgres';

/** Everything needed to start the server of one data folder. */
export interface Cluster {
  readonly binaries: Binaries;
  readonly account: OsAccount | undefined;
  /** PostgreSQL's data folder, readable by its account. */
  readonly pgdata: string;
  /** The superuser's password. */
  readonly password: string;
}

export interface ClusterOptions {
  /** For disposable data: faster, but a crash of the machine may corrupt it. */
  readonly isFast?: boolean;
  /** A folder with PostgreSQL programs other than the embedded ones. */
  readonly programs?: string;
}

/**
 * Finds or creates the cluster in the folder. The folder holds `data`, or a link to it, and
 * `password`.
 */
export function prepareCluster(folder: string, { isFast = false, programs }: ClusterOptions): Cluster {
  const link = join(folder, 'data');
  const account = getServerAccount(link);
  const binaries = findBinaries(account, programs);
  const password = loadOrCreatePassword(folder);
  if (account) chmodSync(folder, 0o711);
  const pgdata = account && !canEnter(folder, account) ? relocateData(folder, link) : link;
  const cluster = { binaries, account, pgdata, password };
  if (!existsSync(join(pgdata, 'PG_VERSION'))) initialize(cluster, isFast);
  return cluster;
}

function loadOrCreatePassword(folder: string): string {
  const file = join(folder, 'password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function relocateData(folder: string, link: string): string {
  const origin = realpathSync(folder);
  const target = join(relocatedDataFolder, createHash('sha256').update(origin).digest('hex').slice(0, 16));
  mkdirSync(relocatedDataFolder, { recursive: true, mode: 0o711 });
  removeOrphans();
  if (!lstatSync(link, { throwIfNoEntry: false })) {
    // Deleting the folder means a fresh start, so data of a deleted folder with the same name is
    // not reused.
    rmSync(target, { recursive: true, force: true });
    writeFileSync(`${target}${originSuffix}`, origin);
    symlinkSync(target, link);
  }
  return target;
}

const originSuffix = '.origin';

/** Removes the data of deleted temporary folders. Any other folder may reappear with its disk. */
function removeOrphans(): void {
  for (const name of readdirSync(relocatedDataFolder)) {
    const note = join(relocatedDataFolder, name);
    if (!name.endsWith(originSuffix)) continue;
    const origin = readFileSync(note, 'utf8');
    if (!origin.startsWith(realpathSync(tmpdir())) || existsSync(origin)) continue;
    for (const path of [note.slice(0, -originSuffix.length), note]) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Runs initdb in a temporary folder and moves the result into place, so that an interruption leaves
 * no partial data.
 */
function initialize({ binaries, account, pgdata, password }: Cluster, isFast: boolean): void {
  const temporaryFolder = `${pgdata}.unfinished`;
  const passwordFile = `${pgdata}.password`;
  try {
    rmSync(temporaryFolder, { recursive: true, force: true });
    mkdirSync(temporaryFolder, { mode: 0o700 });
    rmSync(passwordFile, { force: true });
    writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (account) for (const path of [temporaryFolder, passwordFile]) chownSync(path, account.uid, account.gid);
    runInitdb(binaries, account, [
      '--pgdata',
      temporaryFolder,
      '--pwfile',
      passwordFile,
      ...(isFast ? fastFlags(findMajorVersion(binaries)) : []),
    ]);
    renameSync(temporaryFolder, pgdata);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** A connection costs half as much when its password is not hashed thousands of times. */
function fastFlags(major: number): string[] {
  return ['--no-sync', ...(major >= 16 ? ['--set', 'scram_iterations=1'] : [])];
}

function runInitdb(binaries: Binaries, account: OsAccount | undefined, options: string[]): void {
  const accessFlags = ['--username', superuser, '--auth', 'scram-sha-256'];
  // The built-in C.UTF-8 sorts identically on every system, regardless of its locales.
  const builtinLocaleFlags = ['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'];
  const major = findMajorVersion(binaries);
  const localeFlags = ['--encoding', 'UTF8', '--locale', 'C', ...(major >= 17 ? builtinLocaleFlags : [])];
  const outputFlags = major >= 14 ? ['--no-instructions'] : [];
  const result = spawnSync(binaries.initdb, [...options, ...accessFlags, ...localeFlags, ...outputFlags], {
    ...account,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  const reason =
    result.error?.message ??
    parseStopReason(result.stderr.replaceAll('error: ', 'FATAL: ')) ??
    'initdb produced no output.';
  throw new Error(`PostgreSQL cannot set up its data: ${reason}`);
}
