/**
 * Reads where the logs end now, and the entries there, which show later whether a side was
 * restored.
 */
import type { ChangeLogPoint, HorizonHolder } from '../../../helium/helium-gateway.ts';
import type { OpLogPoint } from '../../../journey/journey-gateway.ts';
import type { SyncContext } from '../../state/context.ts';
import { StateRestored } from '../../state/state-restored.ts';

/**
 * The cursor is a number at and below which no more entries can become visible. Throws
 * StateRestored when the log was restored in the meantime: the next start finds that.
 */
export async function readChangeLogHead(
  { helium, signal }: Pick<SyncContext, 'helium' | 'signal'>,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<{ readonly cursor: string; readonly point: ChangeLogPoint | null }> {
  const head = BigInt(await helium.readHead());
  let cursor = String(head > 0n ? head - 1n : 0n);
  for (;;) {
    const page = await helium.readChangeLog({ cursor, point: null, limit: 10_000, signal, onHeld });
    if (page.isBeyondEnd) throw new StateRestored();
    cursor = page.cursor;
    if (page.isLast) return { cursor, point: page.point };
  }
}

export async function readOpLogHead({
  journey,
  signal,
}: Pick<SyncContext, 'journey' | 'signal'>): Promise<{ readonly cursor: string; readonly point: OpLogPoint | null }> {
  const { point } = await journey.readTail(signal);
  return { cursor: point?.sequence ?? '0', point };
}
