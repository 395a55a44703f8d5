import { spawnSync } from 'node:child_process';

/**
 * Returns whether this machine has psql, the peer that runs the same statements and nothing else.
 */
export function hasPsql(): boolean {
  return spawnSync('psql', ['--version']).status === 0;
}

/**
 * Runs a script in one session and returns the milliseconds of each statement up to its last row,
 * on psql's clock; rows go to /dev/null. Throws psql's output if a statement fails.
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
