import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

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

/** A process of a machine, as others of the same machine may look it up. */
export interface ProcessPlace extends ProcessIdentity {
  /** Names the running system and its process ids: each container has ids of its own. */
  readonly machine: string;
}

/** Returns null where a machine cannot be told from others. */
export function getOwnPlace(): ProcessPlace | null {
  const identity = getProcessIdentity(process.pid);
  const boot = readOrEmpty('/proc/sys/kernel/random/boot_id').trim();
  if (!identity || boot === '') return null;
  try {
    return { ...identity, machine: `${boot} ${readlinkSync('/proc/self/ns/pid')}` };
  } catch {
    return null;
  }
}

/**
 * Returns whether a process of this machine has certainly ended. One that is only stopped has not.
 */
export function hasEnded({ pid, began }: ProcessIdentity): boolean {
  const current = getProcessIdentity(pid);
  if (current) return current.began !== began;
  // A zombie has ended. What cannot be read may be hidden, because it belongs to another user.
  return readOrEmpty(`/proc/${pid}/stat`) !== '' || !receivesSignals(pid);
}

function receivesSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * Returns the command line of a running process, separated by blanks; empty if it cannot be read.
 */
export function getCommandLine(pid: number): string {
  if (process.platform !== 'linux') return readFromPs(pid, 'args=');
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function readLinuxStartTime(pid: number): string {
  // The second field is the command in parentheses, which may contain blanks and parentheses, so
  // fields are counted from its end.
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, beganTicks] = [fields[0], fields[19]];
  return state === 'Z' || beganTicks === undefined ? '' : beganTicks;
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

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
