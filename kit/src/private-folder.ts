import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import type { OsAccount } from './postgres/os-account.ts';

const ownerOnly = 0o700;
/** Others of the group may pass through to a path that they know, and list nothing. */
const groupMayPass = 0o710;

/**
 * Creates the folder if it is missing, and takes the rights of all other accounts on it. Folders of
 * earlier versions were readable by everyone. A folder that is shared on purpose, such as `/tmp`,
 * stays as it is.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: ownerOnly });
  const { mode } = statSync(folder);
  const isShared = (mode & 0o1000) !== 0;
  if (!isShared && ![ownerOnly, groupMayPass].includes(mode & 0o777)) chmodSync(folder, ownerOnly);
}

/** Lets an account pass through private folders of root to its own one below. */
export function letPass(folders: readonly string[], { gid }: OsAccount): void {
  for (const folder of folders) {
    chownSync(folder, statSync(folder).uid, gid);
    chmodSync(folder, groupMayPass);
  }
}
