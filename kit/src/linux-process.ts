import { readFileSync } from 'node:fs';

/**
 * Returns when a process started, as an opaque text; empty if there is none. A zombie does not
 * count.
 */
export function readLinuxStartTime(pid: number): string {
  // The second field is the command in parentheses, which may contain blanks and parentheses, so
  // fields are counted from its end.
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, beganTicks] = [fields[0], fields[19]];
  return state === 'Z' || beganTicks === undefined ? '' : beganTicks;
}

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
