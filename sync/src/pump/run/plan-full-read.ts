/**
 * Plans full reads: of everything when an integration starts at version 0, of an object when more
 * of it is synced than before. The log's position is stored first, then everything is read, then
 * the log is read from that position.
 */
import type { SyncConfig } from '@portal/contract/sync-config';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { Points, Position } from '../shared/progress.ts';
import { type SyncContext, withLockedState } from '../shared/sync-context.ts';

/** The full reads, and the log entries at their heads. */
export type FullReadPlan = Pick<Position, 'toHelium' | 'toJourney'> & Partial<Points>;

/** @param tables the tables to read in addition; null when the integration starts */
export async function planFullRead(
  context: SyncContext,
  config: SyncConfig,
  row: Position,
  tables: readonly string[] | null,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<FullReadPlan> {
  const heads = new Heads(context, onHeld);
  const selectTables = (isSynced: (map: ObjectMap) => boolean) =>
    context.mapping.objects
      .filter((map) => isSynced(map) && (tables?.includes(map.table) ?? true))
      .map(({ table }) => table);
  const readsFromStart = (cursor: string) => tables !== null || cursor === '0';
  const toHelium =
    config.enableJourneyToHelium && readsFromStart(row.opLogCursor)
      ? await withTables(
          row.toHelium,
          selectTables(({ toHelium }) => toHelium),
          tables === null,
          () => heads.readOpLogHead(),
        )
      : row.toHelium;
  const toJourney =
    config.enableHeliumToJourney && readsFromStart(row.changeLogCursor)
      ? await withTables(
          row.toJourney,
          selectTables(({ toJourney }) => toJourney),
          tables === null,
          () => heads.readHorizon(),
        )
      : row.toJourney;
  return save(context, { toHelium, toJourney, ...heads.points });
}

/**
 * Plans to read all objects of one side, because its log no longer has everything that happened
 * since the cursor. The log is then read on from its current end.
 */
export async function planToReadAgain(
  context: SyncContext,
  direction: 'toHelium' | 'toJourney',
  { toHelium, toJourney }: Position,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<FullReadPlan> {
  const heads = new Heads(context, onHeld);
  const head = direction === 'toHelium' ? await heads.readOpLogHead() : await heads.readHorizon();
  const tables = context.mapping.objects.filter((map) => map[direction]).map(({ table }) => table);
  const again: Snapshot = { head, tables, afterId: null, count: 0 };
  return save(context, { toHelium, toJourney, [direction]: again, ...heads.points });
}

async function save(context: SyncContext, plan: FullReadPlan): Promise<FullReadPlan> {
  await withLockedState(context, (db) => saveRun(db, context.stateId, plan));
  return plan;
}

async function withTables(
  before: Snapshot | null,
  tables: readonly string[],
  isInitial: boolean,
  readHead: () => Promise<string>,
): Promise<Snapshot | null> {
  if (before) return { ...before, tables: [...new Set([...before.tables, ...tables])] };
  if (tables.length === 0 && !isInitial) return null;
  return { head: isInitial ? await readHead() : null, tables, afterId: null, count: 0 };
}

/** Reads where the logs end now, and remembers the entries there. */
class Heads {
  readonly #context: SyncContext;
  readonly #onHeld: (holder: HorizonHolder | null) => void;
  #points: Partial<Points> = {};

  constructor(context: SyncContext, onHeld: (holder: HorizonHolder | null) => void) {
    this.#context = context;
    this.#onHeld = onHeld;
  }

  get points(): Partial<Points> {
    return this.#points;
  }

  async readOpLogHead(): Promise<string> {
    const { journey, signal } = this.#context;
    const { point } = await journey.readTail(signal);
    this.#points = { ...this.#points, opLogPoint: point };
    return point?.sequence ?? '0';
  }

  /** Returns a change-log number at and below which no more entries can become visible. */
  async readHorizon(): Promise<string> {
    const { helium, signal } = this.#context;
    const head = BigInt(await helium.readHead());
    let cursor = String(head > 0n ? head - 1n : 0n);
    for (;;) {
      const page = await helium.readChangeLog({
        cursor,
        point: null,
        limit: 10_000,
        signal,
        onHeld: this.#onHeld,
      });
      cursor = page.cursor;
      this.#points = { ...this.#points, changeLogPoint: page.point };
      if (page.isLast) return cursor;
    }
  }
}
