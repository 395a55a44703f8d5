/**
 * Plans full reads: of everything when an integration starts at version 0, of an object when more
 * of it is synced than before. The log's position is stored first, then everything is read, then
 * the log is read from that position.
 */
import type { SyncConfig } from '@portal/contract/sync-config';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { Position } from '../shared/progress.ts';
import { type SyncContext, withLockedState } from '../shared/sync-context.ts';

/** @param tables the tables to read in addition; null when the integration starts */
export async function planFullRead(
  context: SyncContext,
  config: SyncConfig,
  row: Position,
  tables: readonly string[] | null,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<Pick<Position, 'toHelium' | 'toJourney'>> {
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
          () => context.journey.readHead(context.signal),
        )
      : row.toHelium;
  const toJourney =
    config.enableHeliumToJourney && readsFromStart(row.changeLogCursor)
      ? await withTables(
          row.toJourney,
          selectTables(({ toJourney }) => toJourney),
          tables === null,
          () => readHorizon(context, onHeld),
        )
      : row.toJourney;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { toHelium, toJourney }));
  return { toHelium, toJourney };
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

/** Returns a change-log number at and below which no more entries can become visible. */
async function readHorizon(
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
