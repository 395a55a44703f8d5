import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCommandLine, getProcessIdentity } from '../process-identity.ts';

const patienceMs = 20_000;
const pollMs = 10;

/**
 * Holding the folder's lock, whatever server still runs on its data was left behind by a crash: it
 * is ended, with less patience at each step. A pid file that names another process, as after a
 * reboot, is removed.
 */
export async function endLeftover(pgdata: string): Promise<void> {
  const pid = readPidFile(pgdata)?.pid;
  if (pid === undefined) return;
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!servesData(pid, pgdata)) break;
    kill(pid, signal);
    const giveUpAt = Date.now() + patienceMs;
    while (servesData(pid, pgdata) && Date.now() < giveUpAt) await pause(pollMs);
  }
  rmSync(join(pgdata, 'postmaster.pid'), { force: true });
}

function servesData(pid: number, pgdata: string): boolean {
  return getProcessIdentity(pid) !== undefined && getCommandLine(pid).includes(` -D ${pgdata} `);
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/**
 * First line the process id, eighth the state; PostgreSQL writes the file line by line, so the end
 * may be missing.
 */
export function readPidFile(pgdata: string): { pid: number; status: string } | undefined {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return pid > 0 ? { pid, status: lines[7]?.trim() ?? '' } : undefined;
  } catch {
    return undefined;
  }
}
