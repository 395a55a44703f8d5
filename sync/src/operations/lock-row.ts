import { setTimeout as pause } from 'node:timers/promises';
import { Conflict } from '@portal/kit/problems';
import type { Db, HeliumGateway, HeliumRow } from '../helium/helium-gateway.ts';
import type { ObjectMap } from '../mapping/object-map.ts';

export const lockedReason = 'Another session has locked the record. Try again in a few seconds.';

/** What is left of the time that a call may wait for all its rows. */
export interface LockWait {
  leftMs: number;
}

/** The engine itself locks rows for milliseconds, and users of the app rarely for longer. */
export const createLockWait = (): LockWait => ({ leftMs: 1000 });
const pollMs = 50;

/**
 * Locks the row that an operator changes until the transaction ends, and returns it; null when
 * Helium has none. Waits without holding any lock of the app.
 */
export async function lockRow(
  db: Db,
  helium: HeliumGateway,
  { map, id, wait }: { readonly map: ObjectMap; readonly id: string; readonly wait: LockWait },
): Promise<HeliumRow | null> {
  for (;;) {
    const { locked, busy } = await helium.lockRows(db, map, [id]);
    if (busy.length === 0) return locked[0] ?? null;
    if (wait.leftMs <= 0) throw new Conflict(lockedReason);
    wait.leftMs -= pollMs;
    await pause(pollMs);
  }
}
