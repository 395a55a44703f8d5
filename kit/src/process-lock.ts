import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { getProcessIdentity, isAlive, type ProcessIdentity } from './process-identity.ts';

export interface ProcessLock {
  release(): void;
}

/**
 * Takes a lock file for this process. A lock whose owner is gone, kill -9 included, is taken over.
 * Returns the owner instead when another living process holds it. Throws when the file may not be
 * read or made.
 */
export function acquireProcessLock(path: string): ProcessLock | { readonly heldBy: ProcessIdentity } {
  const self = getProcessIdentity(process.pid) ?? { pid: process.pid, began: '' };
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(self));
  try {
    while (!link(mine, path)) {
      const found = read(path);
      if (found === undefined) continue;
      const owner = parse(found);
      if (owner && isAlive(owner)) return { heldBy: owner };
      removeStale(path, found, mine);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return { release: () => read(path) === JSON.stringify(self) && rmSync(path, { force: true }) };
}

/**
 * Hard links are the one portable way to create a file with its content already in it, and only if
 * it is not there.
 */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Between our look and our hand another process may have taken the lock over: then what we moved
 * away goes back.
 */
function removeStale(path: string, stale: string, mine: string): void {
  const aside = `${mine}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if (read(aside) !== stale) link(aside, path);
  rmSync(aside, { force: true });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function parse(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('began' in value)) return undefined;
    const { pid, began } = value;
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined;
  } catch {
    return undefined;
  }
}
