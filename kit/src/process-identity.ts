import { execFileSync } from 'node:child_process';
import { readLinuxStartTime, readOrEmpty } from './linux-process.ts';

/**
 * Identifies a process uniquely. A process id alone is reused after a reboot, or in a container
 * where every start gets the same small numbers; the start time makes it unique.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque start time; compare for equality only. */
  readonly began: string;
}

/** Returns the process with this id, or undefined if there is none. A zombie does not count. */
export function getProcessIdentity(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? readLinuxStartTime(pid) : readFromPs(pid, 'lstart=');
  return began ? { pid, began } : undefined;
}

export function isAlive({ pid, began }: ProcessIdentity): boolean {
  return getProcessIdentity(pid)?.began === began;
}

/**
 * Returns the command line of a running process, separated by blanks; empty if it cannot be read.
 */
export function getCommandLine(pid: number): string {
  if (process.platform !== 'linux') return readFromPs(pid, 'args=');
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function readFromPs(pid: number, column: string): string {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
