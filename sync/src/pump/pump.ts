/** What both directions of one integration work with. */
import { inTransaction } from '@portal/kit/postgres/pool';
import type { ConflictPolicy } from '../engine/merge.ts';
import type { Db, HeliumEnd } from '../helium/helium-end.ts';
import type { JourneyEnd } from '../journey/journey-end.ts';
import type { Mapping, ObjectMap } from '../mapping/object-map.ts';
import { lockRun, type RunRow } from '../state/run-store.ts';

export interface Pump {
  /** The integration's number in the state. */
  readonly run: number;
  readonly fence: string;
  readonly helium: HeliumEnd;
  readonly journey: JourneyEnd;
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
export const PAGE = 1000;

export function mapOf({ mapping }: Pick<Pump, 'mapping'>, table: string): ObjectMap | undefined {
  return mapping.objects.find((map) => map.table === table);
}

/** Whether what is written to Journey comes back in the part of the op-log that is read. */
export function hasEcho(pump: Pump, table: string): boolean {
  return pump.isTwoWay && (mapOf(pump, table)?.toHelium ?? false);
}

/** One transaction in which nobody else changes this integration's state. Throws LeaseLost when another process runs it. */
export function inState<T>(pump: Pump, work: (db: Db, row: RunRow) => Promise<T>): Promise<T> {
  return inTransaction(pump.helium.pool, async (db) => work(db, await lockRun(db, pump.run, pump.fence)));
}

/** It cannot go on unless somebody acts. */
export class Halt extends Error {
  override readonly name = 'Halt';
  /** Where, in words: a version, an object. */
  readonly position: string;

  constructor(reason: string, position = '') {
    super(reason);
    this.position = position;
  }
}
