/**
 * Verifies that Journey is still what the state was written for, before anything is planned from
 * its objects: what a restore brought back or took away is nobody's edit.
 */
import type { OpLogPoint } from '../../../journey/journey-gateway.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import type { SyncContext } from '../../state/context.ts';
import { RestoreFound } from './restore-found.ts';

/**
 * Asks Journey for the last entry of the op-log that was read. Throws RestoreFound when it is
 * another one now, or when the op-log ends before it. Call it after objects were listed.
 *
 * @returns whether the entry is there; false when it has expired
 */
export async function verifyJourney({
  context,
  progress,
}: {
  readonly context: Pick<SyncContext, 'journey' | 'signal'>;
  readonly progress: Pick<ActiveRun['progress'], 'opLogPoint'>;
}): Promise<boolean> {
  const { journey, signal } = context;
  const point = progress.opLogPoint;
  if (!point) return true;
  const entry = await journey.readPoint(point.sequence, signal);
  if (entry) {
    checkEntry(entry, point);
    return true;
  }
  await checkExpired({ journey, signal }, point);
  return point.isExpired ?? false;
}

interface ExpiredPoint {
  /** The oldest entry of the op-log; null when it has none. */
  readonly oldest: OpLogPoint | null;
  /** Whether the object of the expired entry is as the entry left it. */
  readonly isUnchanged: boolean;
}

/**
 * Throws RestoreFound unless the entry of the point may have expired: the op-log ends behind it and
 * has no older one, and the object of the entry was not written earlier.
 */
export async function checkExpired(
  { journey, signal }: Pick<SyncContext, 'journey' | 'signal'>,
  point: OpLogPoint,
): Promise<ExpiredPoint> {
  const { point: newest } = await journey.readTail(signal);
  checkTail(newest, point);
  const oldest = newest && (await journey.readOldest(signal));
  if (oldest && BigInt(oldest.sequence) < BigInt(point.sequence))
    throw journeyRestored(`Entry ${point.sequence} of its op-log is gone, and older ones are still there.`, null);
  const updatedAtMs = await journey.readUpdatedAtMs(point, signal);
  if (updatedAtMs !== null && updatedAtMs < point.updatedAtMs)
    throw journeyRestored(
      `Entry ${point.sequence} of its op-log is gone, and ${point.model} ${point.id} is as it was before that entry.`,
      null,
    );
  return { oldest, isUnchanged: updatedAtMs === (point.isDeletion ? null : point.updatedAtMs) };
}

/** Throws RestoreFound when the op-log is still empty. Call it after objects were counted. */
export async function checkEmptied(
  { journey, signal }: Pick<SyncContext, 'journey' | 'signal'>,
  { sequence }: OpLogPoint,
): Promise<void> {
  const { point } = await journey.readTail(signal);
  if (point) return;
  throw journeyRestored(`Its op-log is empty, and entry ${sequence} was there within the last hour.`, null);
}

/** Throws RestoreFound when Journey's entry with the number of the point is another one. */
export function checkEntry(entry: OpLogPoint, point: OpLogPoint): void {
  if (isSameEntry(entry, point)) return;
  throw journeyRestored(`Entry ${point.sequence} of its op-log is another one than the one that was read.`, null);
}

/** Throws RestoreFound when the op-log's newest entry comes before one that was read. */
function checkTail(tail: OpLogPoint | null, point: OpLogPoint): void {
  if (!tail || BigInt(tail.sequence) >= BigInt(point.sequence)) return;
  throw journeyRestored(
    `Its op-log ends at entry ${tail.sequence}, and entry ${point.sequence} was already read.`,
    tail.updatedAtMs === 0 ? null : new Date(tail.updatedAtMs),
  );
}

export function isSameEntry(entry: OpLogPoint, point: OpLogPoint): boolean {
  if (point.isExpired) return false;
  return entry.sequence === point.sequence && entry.id === point.id && entry.updatedAtMs === point.updatedAtMs;
}

function journeyRestored(evidence: string, asOf: Date | null): RestoreFound {
  return new RestoreFound(`Journey was restored, or a part of it was. ${evidence}`, {
    side: 'journey',
    asOf,
    tables: null,
  });
}
