import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { getProcessIdentity, isAlive, type ProcessIdentity } from './process-identity.ts';

export interface ProcessLock {
  release(): void;
}

/**
 * Acquires a lock file for this process. Takes over the lock of a process that has ended, even by
 * kill -9. Returns the owner if another running process holds the lock. Throws if the file cannot
 * be read or created.
 */
export function acquireProcessLock(path: string): ProcessLock | { readonly heldBy: ProcessIdentity } {
  const self = getProcessIdentity(process.pid) ?? { pid: process.pid, began: '' };
  const ownFile = `${path}.${process.pid}`;
  writeFileSync(ownFile, JSON.stringify(self));
  try {
    while (!link(ownFile, path)) {
      const content = read(path);
      if (content === undefined) continue;
      const owner = parse(content);
      if (owner && isAlive(owner)) return { heldBy: owner };
      removeStale(path, content, ownFile);
    }
  } finally {
    rmSync(ownFile, { force: true });
  }
  return { release: () => read(path) === JSON.stringify(self) && rmSync(path, { force: true }) };
}

/**
 * Hard links are the only portable way to create a file with its content atomically, and only if it
 * does not exist.
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
 * Another process may have taken over the lock since it was read. In this case, the moved lock is
 * restored.
 */
function removeStale(path: string, stale: string, ownFile: string): void {
  const movedFile = `${ownFile}.stale`;
  try {
    renameSync(path, movedFile);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if (read(movedFile) !== stale) link(movedFile, path);
  rmSync(movedFile, { force: true });
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
