import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isPortFree } from '@portal/kit/ports';
import { acquireProcessLock } from '@portal/kit/process-lock';
import type { Lifecycle } from './lifecycle.ts';
import type { SystemSettings } from './settings.ts';

/**
 * Locks the state folder for this process. Throws if another process holds the lock or if the port
 * is in use.
 */
export async function acquireState({ stateDir, port }: SystemSettings, lifecycle: Lifecycle): Promise<void> {
  mkdirSync(stateDir, { recursive: true });
  const lock = acquireProcessLock(join(stateDir, 'lock'));
  if ('heldBy' in lock) throw new Error(`The portal is already running here, as process ${lock.heldBy.pid}.`);
  lifecycle.onShutdown('lock', () => lock.release());
  if (port !== 0 && !(await isPortFree(port)))
    throw new Error(`Port ${port} is in use by another program. To use another port, run PORT=${port + 1} npm start.`);
}
