/** The SyncContext is what both directions of one integration work with. */
import type { Backoff } from '@portal/kit/backoff';
import { inTransaction } from '@portal/kit/postgres/pool';
import type { Db, HeliumGateway } from '../../helium/helium-gateway.ts';
import type { JourneyGateway } from '../../journey/journey-gateway.ts';
import type { Mapping, ObjectMap } from '../../mapping/object-map.ts';
import type { ConflictPolicy } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { KeptFileLimits } from '../../sync-state/conflict-files.store.ts';
import type { Direction } from '../../sync-state/held-records.store.ts';
import { lockRun, type RunChange, type RunRow, readRun, saveRun } from '../../sync-state/runs.store.ts';
import type { CallFailures } from './call-failures.ts';
import type { StateLock } from './lock.ts';
import type { RefusedWrites } from './refused-writes.ts';
import type { StateRevision } from './revision.ts';

export interface SyncContext {
  /** The id of the integration's state. */
  readonly stateId: number;
  readonly fence: string;
  readonly stateLock: StateLock;
  readonly revision: StateRevision;
  readonly helium: HeliumGateway;
  readonly journey: JourneyGateway;
  readonly mapping: Mapping;
  readonly policy: ConflictPolicy;
  /** The share of an object's records that may be deleted without a log that names them. */
  readonly maxDeletedPercent: number;
  /** Whether changes from Journey are read at all: only then do our writes have echoes. */
  readonly isTwoWay: boolean;
  /** The delays between two attempts to get a file. */
  readonly fileBackoff: Backoff;
  readonly callFailures: CallFailures;
  readonly refusedWrites: RefusedWrites;
  /** How many of the files that lose a conflict are kept. */
  readonly keptFiles: KeptFileLimits;
  readonly signal: AbortSignal;
  /**
   * Throws LeaseLostError when the lease has expired. Call it before each call that no fence
   * checks.
   */
  readonly checkLease: () => void;
  readonly log: (key: string, value: string) => void;
}

/** The maximum number of records in one Journey batch. */
export const pageSize = 1000;

export function findObjectMap({ mapping }: Pick<SyncContext, 'mapping'>, table: string): ObjectMap | undefined {
  return mapping.objects.find((map) => map.table === table);
}

/** Whether writes to this table come back in the part of the op-log that is read. */
export function expectsEcho(context: Pick<SyncContext, 'mapping' | 'isTwoWay'>, table: string): boolean {
  return context.isTwoWay && (findObjectMap(context, table)?.toHelium ?? false);
}

/**
 * Runs a transaction in which nothing else changes this integration's state. Throws LeaseLostError
 * when another process runs it, and StateRestored when the state was restored since this run's last
 * change.
 */
export function withLockedState<T>(context: SyncContext, work: (db: Db, row: RunRow) => Promise<T>): Promise<T> {
  const { helium, stateId, fence, stateLock, revision } = context;
  return stateLock.run('everything', () =>
    revision.follow((check) =>
      inTransaction(helium.pool, async (db) => {
        const row = await lockRun(db, stateId, fence);
        check(row.revision);
        return work(db, row);
      }),
    ),
  );
}

export interface PageTransaction {
  readonly direction: Direction;
  /** Records whose state may change. */
  readonly keys: readonly RecordKey[];
}

/**
 * Runs the transaction of a page, in which nothing else changes the state of its records. The other
 * direction continues with other records, because the integration's row is locked only at the end,
 * when the change that `work` returns is saved. Throws as `withLockedState` does; then nothing is
 * changed.
 */
export function inPageTransaction<T>(
  context: SyncContext,
  { direction, keys }: PageTransaction,
  work: (db: Db, row: RunRow) => Promise<{ readonly result: T; readonly change: RunChange }>,
): Promise<T> {
  const { helium, stateId, fence, stateLock, revision } = context;
  return stateLock.run({ direction, keys }, () =>
    revision.follow((check) =>
      inTransaction(helium.pool, async (db) => {
        const { result, change } = await work(db, await readRun(db, stateId, fence));
        check(await saveRun(db, stateId, change, fence));
        return result;
      }),
    ),
  );
}
