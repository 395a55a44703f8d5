/**
 * Plans what is read whole: everything when an integration begins at version 0, an object when
 * something of it is synced that was not before. First the position of the log is stored, then
 * everything is read, then the log from there on.
 */
import type { SyncConfig } from '@portal/contract/sync-config';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { Position } from '../shared/progress.ts';
import { inState, type SyncContext } from '../shared/sync-context.ts';

/** @param tables null: the integration begins; else the tables that are to be read in addition */
export async function planFullRead(
  context: SyncContext,
  config: SyncConfig,
  row: Position,
  tables: readonly string[] | null,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<Pick<Position, 'toHelium' | 'toJourney'>> {
  const chosen = (goes: (map: ObjectMap) => boolean) =>
    context.mapping.objects
      .filter((map) => goes(map) && (tables?.includes(map.table) ?? true))
      .map(({ table }) => table);
  const fromBeginning = (cursor: string) => tables !== null || cursor === '0';
  const toHelium =
    config.enableJourneyToHelium && fromBeginning(row.opLogCursor)
      ? await withTables(
          row.toHelium,
          chosen(({ toHelium }) => toHelium),
          tables === null,
          () => context.journey.readHead(context.signal),
        )
      : row.toHelium;
  const toJourney =
    config.enableHeliumToJourney && fromBeginning(row.changeLogCursor)
      ? await withTables(
          row.toJourney,
          chosen(({ toJourney }) => toJourney),
          tables === null,
          () => readHorizon(context, onHeld),
        )
      : row.toJourney;
  await inState(context, (db) => saveRun(db, context.stateId, { toHelium, toJourney }));
  return { toHelium, toJourney };
}

async function withTables(
  before: Snapshot | null,
  tables: readonly string[],
  isBeginning: boolean,
  readHead: () => Promise<string>,
): Promise<Snapshot | null> {
  if (before) return { ...before, tables: [...new Set([...before.tables, ...tables])] };
  if (tables.length === 0 && !isBeginning) return null;
  return { head: isBeginning ? await readHead() : null, tables, afterId: null, count: 0 };
}

/** A number of the change log at and below which nothing can become visible any more. */
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
