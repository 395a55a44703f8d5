import { join } from 'node:path';
import { isPortFree } from '@portal/kit/ports';
import { makePrivateFolder } from '@portal/kit/private-folder';
import { acquireProcessLock } from '@portal/kit/process-lock';
import type { Lifecycle } from './lifecycle.ts';
import { listStateFolders, type SystemSettings } from './settings.ts';

/**
 * Locks the state folder for this process, and makes it private. Throws if another process holds
 * the lock or if the port is in use.
 */
export async function acquireState({ stateDir, port }: SystemSettings, lifecycle: Lifecycle): Promise<void> {
  for (const folder of listStateFolders(stateDir)) makePrivateFolder(folder);
  const lock = acquireProcessLock(join(stateDir, 'lock'));
  if ('heldBy' in lock) throw new Error(`The portal is already running here, as process ${lock.heldBy.pid}.`);
  lifecycle.onShutdown('lock', () => lock.release());
  if (port !== 0 && !(await isPortFree(port)))
    throw new Error(`Port ${port} is in use by another program. To use another port, run PORT=${port + 1} npm start.`);
}
