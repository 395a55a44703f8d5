import { setTimeout as pause } from 'node:timers/promises';
import { Conflict } from '@portal/kit/problems';
import type { Db, HeliumGateway, HeliumRow } from '../helium/helium-gateway.ts';
import type { ObjectMap } from '../mapping/object-map.ts';

export const lockedReason = 'Another session has locked the record. Try again in a few seconds.';

/** The engine itself locks rows for milliseconds, and users of the app rarely for longer. */
export const lockWaitMs = 1000;
const pollMs = 50;

/**
 * Locks the row that an operator changes until the transaction ends, and returns it; null when
 * Helium has none. Waits without holding any lock of the app.
 */
export async function lockRow(
  db: Db,
  helium: HeliumGateway,
  { map, id, waitMs }: { readonly map: ObjectMap; readonly id: string; readonly waitMs: number },
): Promise<HeliumRow | null> {
  for (const startedMs = performance.now(); ; await pause(pollMs)) {
    const { locked, busy } = await helium.lockRows(db, map, [id]);
    if (busy.length === 0) return locked[0] ?? null;
    if (performance.now() - startedMs >= waitMs) throw new Conflict(lockedReason);
  }
}
