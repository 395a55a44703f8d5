import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { acquireProcessLock, type ProcessLock } from '@portal/kit/process-lock';

/** Shared by the workers of a run of tests, and removed after it; pictures have none. */
export const runFolder = process.env.PORTAL_RUN_FOLDER;

const checkMs = 100;

/**
 * Does the work in the first worker that needs it, and returns its result in all of them. The
 * others wait for it. If the work fails, the next one tries it.
 */
export async function oncePerRun(name: string, work: () => Promise<string>): Promise<string> {
  if (runFolder === undefined) return work();
  const resultFile = join(runFolder, name);
  const lock = await acquireLock(`${resultFile}.lock`);
  try {
    if (!existsSync(resultFile)) writeFileSync(resultFile, await work());
    return readFileSync(resultFile, 'utf8');
  } finally {
    lock.release();
  }
}

async function acquireLock(path: string): Promise<ProcessLock> {
  for (;;) {
    const lock = acquireProcessLock(path);
    if ('release' in lock) return lock;
    await pause(checkMs);
  }
}
