import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCommandLine, getProcessIdentity } from '../process-identity.ts';

const signalTimeoutMs = 20_000;
const pollMs = 10;

/**
 * Stops a server that a crash left running on the data, with increasingly forceful signals. The
 * caller must hold the folder's lock. Removes a pid file that names an unrelated process, for
 * example after a reboot.
 */
export async function stopOrphan(pgdata: string): Promise<void> {
  const pid = readPidFile(pgdata)?.pid;
  if (pid === undefined) return;
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!isServingData(pid, pgdata)) break;
    sendSignal(pid, signal);
    const deadline = Date.now() + signalTimeoutMs;
    while (isServingData(pid, pgdata) && Date.now() < deadline) await pause(pollMs);
  }
  rmSync(join(pgdata, 'postmaster.pid'), { force: true });
}

function isServingData(pid: number, pgdata: string): boolean {
  return getProcessIdentity(pid) !== undefined && getCommandLine(pid).includes(` -D ${pgdata} `);
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}

/**
 * Reads the process id from line 1 and the state from line 8. PostgreSQL writes the file line by
 * line, so the last lines may be missing.
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
