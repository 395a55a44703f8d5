/** What both directions of one integration work with. */
import { inTransaction } from '@portal/kit/postgres/pool';
import type { Db, HeliumGateway } from '../../helium/helium-gateway.ts';
import type { JourneyGateway } from '../../journey/journey-gateway.ts';
import type { Mapping, ObjectMap } from '../../mapping/object-map.ts';
import type { ConflictPolicy } from '../../record/merge.ts';
import { lockRun, type RunRow } from '../../sync-state/runs.store.ts';

export interface SyncContext {
  /** The integration's number in the state. */
  readonly stateId: number;
  readonly fence: string;
  readonly helium: HeliumGateway;
  readonly journey: JourneyGateway;
  readonly mapping: Mapping;
  readonly policy: ConflictPolicy;
  /** Whether changes come from Journey at all: only then do echoes of our writes. */
  readonly isTwoWay: boolean;
  readonly signal: AbortSignal;
  /** Throws LeaseLost when the lease has run out: asked before each call that no fence checks. */
  readonly checkLease: () => void;
  readonly log: (key: string, value: string) => void;
}

/** At most as many as Journey takes in one batch. */
export const pageSize = 1000;

export function mapOf({ mapping }: Pick<SyncContext, 'mapping'>, table: string): ObjectMap | undefined {
  return mapping.objects.find((map) => map.table === table);
}

/** Whether what is written to Journey comes back in the part of the op-log that is read. */
export function hasEcho(context: SyncContext, table: string): boolean {
  return context.isTwoWay && (mapOf(context, table)?.toHelium ?? false);
}

/**
 * One transaction in which nobody else changes this integration's state. Throws LeaseLost when
 * another process runs it.
 */
export function inState<T>(context: SyncContext, work: (db: Db, row: RunRow) => Promise<T>): Promise<T> {
  return inTransaction(context.helium.pool, async (db) => work(db, await lockRun(db, context.stateId, context.fence)));
}
