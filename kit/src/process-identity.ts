import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process id alone says little: after a reboot, or in a container where every start gets the same
 * small numbers, it soon belongs to someone else. Together with the moment the process began it
 * names one process for good.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque mark of when the process began; only equality means anything. */
  readonly began: string;
}

/**
 * Who runs under this process id now, or undefined when nobody does (a zombie counts as nobody).
 */
export function getProcessIdentity(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : askPs(pid, 'lstart=');
  return began ? { pid, began } : undefined;
}

export function isAlive({ pid, began }: ProcessIdentity): boolean {
  return getProcessIdentity(pid)?.began === began;
}

/**
 * The command line of a living process, its words separated by blanks; empty when it cannot be
 * read.
 */
export function getCommandLine(pid: number): string {
  if (process.platform !== 'linux') return askPs(pid, 'args=');
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function beganOnLinux(pid: number): string {
  // The second field is the command in parentheses and may hold anything, blanks and parentheses
  // too: count from its end.
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, beganTicks] = [fields[0], fields[19]];
  return state === 'Z' || beganTicks === undefined ? '' : beganTicks;
}

function askPs(pid: number, column: string): string {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
