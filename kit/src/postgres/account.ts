import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

/** The user a child process runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root. Then it runs as the owner of its data, or for new data as
 * `nobody`, whom every system has; no user is created. Undefined when we are not root: the server
 * runs as ourselves.
 */
export function accountForServer(dataFolder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return nobody();
}

/** Whether the account may enter the folder, asked by trying. */
export function canEnter(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, stdio: 'ignore', cwd: '/' }).status === 0;
}

function nobody(): Account {
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m);
  if (!line) throw new Error('PostgreSQL does not run as root, and this system has no user "nobody" to run it as.');
  // macOS writes -2 where the system means the unsigned number.
  return { uid: Number(line[1]) >>> 0, gid: Number(line[2]) >>> 0 };
}
