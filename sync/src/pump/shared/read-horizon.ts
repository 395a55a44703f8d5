import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { SyncContext } from './sync-context.ts';

/** Returns a change-log number at and below which no more entries can become visible. */
export async function readHorizon(
  { helium, signal }: SyncContext,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<string> {
  const head = BigInt(await helium.readHead());
  let cursor = String(head > 0n ? head - 1n : 0n);
  for (;;) {
    const page = await helium.readChangeLog({ cursor, limit: 10_000, signal, onHeld });
    cursor = page.cursor;
    if (page.isLast) return cursor;
  }
}
