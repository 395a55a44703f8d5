import { spawnSync } from 'node:child_process';

/** Whether this machine has psql, the peer that asks PostgreSQL the same and does nothing else. */
export function hasPsql(): boolean {
  return spawnSync('psql', ['--version']).status === 0;
}

/**
 * Runs a script in one session and gives how long each of its statements took until its last row
 * was there, in milliseconds, by psql's own clock; rows go to /dev/null. Throws what psql said when
 * a statement fails.
 */
export function timeInPsql(url: string, script: string): number[] {
  const flags = ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1'];
  const input = `\\timing on\n\\o /dev/null\n${script}\n`;
  const { status, stdout, stderr } = spawnSync('psql', [...flags, url], {
    input,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`psql failed: ${stderr}`);
  return [...stdout.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms));
}
