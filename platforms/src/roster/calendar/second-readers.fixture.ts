import { spawnSync } from 'node:child_process';

let python: string | null | undefined;

/**
 * Returns a python that has dateutil and icalendar, which `npm run second-readers` installs;
 * undefined where there is none, and tests are skipped.
 */
export function findPython(): string | undefined {
  python ??=
    ['/usr/bin/python3', 'python3'].find(
      (name) => spawnSync(name, ['-c', 'import dateutil, icalendar']).status === 0,
    ) ?? null;
  return python ?? undefined;
}
