// cspell:ignore nobody (the name of a system account)
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

/** The user that a child process runs as. */
export interface OsAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account for the server, because PostgreSQL refuses to run as root: the owner of its
 * data or, for new data, `nobody`, which every system has. No user is created. Returns undefined if
 * we are not root; the server then runs as the current user.
 */
export function getServerAccount(dataFolder: string): OsAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return readNobodyAccount();
}

/** Returns whether the account may enter the folder, by trying it. */
export function canEnter(folder: string, account: OsAccount): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, stdio: 'ignore', cwd: '/' }).status === 0;
}

function readNobodyAccount(): OsAccount {
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m);
  if (!line) throw new Error('PostgreSQL cannot run as root, and this system has no user "nobody" to run it as.');
  // macOS writes -2 for the unsigned number.
  return { uid: Number(line[1]) >>> 0, gid: Number(line[2]) >>> 0 };
}
