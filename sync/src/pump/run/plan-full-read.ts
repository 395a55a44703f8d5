/**
 * Plans full reads: of everything when an integration starts at version 0 or an operator continues
 * from an earlier version, of an object when more of it is synced than before. The log's position
 * is stored first, then everything is read, then the log is read from that position.
 */
import type { SyncConfig } from '@portal/contract/sync-config';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { Position } from '../shared/progress.ts';
import { readHorizon } from '../shared/read-horizon.ts';
import { type SyncContext, withLockedState } from '../shared/sync-context.ts';

/**
 * @param added the tables to read in addition; null when the integration starts, and all are read
 *   in each direction whose version is 0
 */
export async function planFullRead(
  context: SyncContext,
  config: SyncConfig,
  row: Position,
  added: readonly string[] | null,
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<Pick<Position, 'toHelium' | 'toJourney'>> {
  const plan = (before: Snapshot | null, cursor: string, isSynced: (map: ObjectMap) => boolean, readHead: ReadHead) => {
    const tables = context.mapping.objects.filter(isSynced).map(({ table }) => table);
    if (before?.isRequested) return startAgain(tables, readHead);
    if (added)
      return addTables(
        before,
        added.filter((table) => tables.includes(table)),
      );
    return cursor === '0' ? startFromZero(before, tables, readHead) : before;
  };
  const toHelium = config.enableJourneyToHelium
    ? await plan(
        row.toHelium,
        row.opLogCursor,
        (map) => map.toHelium,
        () => context.journey.readHead(context.signal),
      )
    : row.toHelium;
  const toJourney = config.enableHeliumToJourney
    ? await plan(
        row.toJourney,
        row.changeLogCursor,
        (map) => map.toJourney,
        () => readHorizon(context, onHeld),
      )
    : row.toJourney;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { toHelium, toJourney }));
  return { toHelium, toJourney };
}

type ReadHead = () => Promise<string>;

async function startFromZero(
  before: Snapshot | null,
  tables: readonly string[],
  readHead: ReadHead,
): Promise<Snapshot> {
  return before ? withTables(before, tables) : { head: await readHead(), tables, afterId: null, count: 0 };
}

/**
 * Everything is read as it is now. What happened between the requested version and the head is not
 * repeated: old entries would undo what followed them.
 */
async function startAgain(tables: readonly string[], readHead: ReadHead): Promise<Snapshot> {
  return { head: await readHead(), tables, afterId: null, count: 0, absent: 'keep' };
}

function addTables(before: Snapshot | null, tables: readonly string[]): Snapshot | null {
  if (before === null) return tables.length === 0 ? null : { head: null, tables, afterId: null, count: 0 };
  // An answer to a restore decides only about the tables that were compared.
  if (before.isAdoption || before.absent === 'delete')
    return { ...before, nextTables: union(before.nextTables ?? [], tables) };
  return withTables(before, tables);
}

function withTables(before: Snapshot, tables: readonly string[]): Snapshot {
  return { ...before, tables: union(before.tables, tables) };
}

function union(before: readonly string[], tables: readonly string[]): string[] {
  return [...new Set([...before, ...tables])];
}
