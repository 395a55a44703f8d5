import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFree } from '@portal/kit/ports';
import { acquireProcessLock } from '@portal/kit/process-lock';
import type { Lifecycle } from './lifecycle.ts';
import type { SystemSettings } from './settings.ts';

/**
 * Locks the state folder for this process. Throws when another one has it, or when another program
 * has the port.
 */
export async function acquireState({ stateDir, port }: SystemSettings, lifecycle: Lifecycle): Promise<void> {
  mkdirSync(stateDir, { recursive: true });
  const lock = acquireProcessLock(join(stateDir, 'lock'));
  if ('heldBy' in lock) throw new Error(`The portal is running here already, as process ${lock.heldBy.pid}.`);
  lifecycle.onShutdown('lock', () => lock.release());
  if (port !== 0 && !(await isFree(port)))
    throw new Error(`Port ${port} is in use by another program; PORT=${port + 1} npm start takes another one.`);
}
