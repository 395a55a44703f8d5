/**
 * Where a process runs, so that another process of the same machine can find out that it has ended.
 * Only Linux shows this without starting a program.
 */
import { readlinkSync } from 'node:fs';
import { readLinuxStartTime, readOrEmpty } from './linux-process.ts';

export interface ProcessPlace {
  /** Names the running system and its process ids: each container has ids of its own. */
  readonly machine: string;
  readonly pid: number;
  /** Opaque start time; compare for equality only. */
  readonly began: string;
}

/** Returns null where one machine cannot be distinguished from others. */
export function getOwnPlace(): ProcessPlace | null {
  const began = readLinuxStartTime(process.pid);
  const boot = readOrEmpty('/proc/sys/kernel/random/boot_id').trim();
  if (began === '' || boot === '') return null;
  try {
    return { machine: `${boot} ${readlinkSync('/proc/self/ns/pid')}`, pid: process.pid, began };
  } catch {
    return null;
  }
}

/**
 * Returns whether a process of this machine has certainly ended. One that is only stopped has not.
 */
export function hasEnded({ pid, began }: Omit<ProcessPlace, 'machine'>): boolean {
  const current = readLinuxStartTime(pid);
  if (current !== '') return current !== began;
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
