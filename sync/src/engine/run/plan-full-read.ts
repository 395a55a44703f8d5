/**
 * Plans full reads: of everything when an integration starts at version 0 or an operator goes back
 * to an earlier version, of an object when more of it is synced than before. The log's position is
 * stored first, then everything is read, then the log is read from that position. After a gap in
 * the op-log, what is left of it is read first.
 */
import type { SyncConfig } from '@portal/contract/sync/config';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { OpLogPoint } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { createSnapshot, type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import { readChangeLogHead, readOpLogHead } from '../restore/notice/read-heads.ts';
import { type SyncContext, withLockedState } from '../state/context.ts';
import type { FullReadPlan, Points, Position } from '../state/progress.ts';

type OnHeld = (holder: HorizonHolder | null) => void;
type ReadHead = () => Promise<string>;

/**
 * @param added the tables to read in addition; null when the integration starts, and all are read
 *   in each direction whose version is 0
 */
export async function planFullRead(
  context: SyncContext,
  config: SyncConfig,
  row: Position,
  added: readonly string[] | null,
  onHeld: OnHeld,
): Promise<FullReadPlan> {
  const heads = createHeads(context, onHeld);
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
    ? await plan(row.toHelium, row.opLogCursor, (map) => map.toHelium, heads.toHelium)
    : row.toHelium;
  const toJourney = config.enableHeliumToJourney
    ? await plan(row.toJourney, row.changeLogCursor, (map) => map.toJourney, heads.toJourney)
    : row.toJourney;
  return save(context, { toHelium, toJourney, ...heads.points });
}

/**
 * Plans to read all objects of one side, because its log no longer has everything that happened
 * since the cursor. The log is then read on from its current end, or read first from
 * `opLogPoint`. Without one, the op-log may have been emptied by a restore.
 *
 * @param opLogPoint the position before the oldest entry that the op-log still has
 */
export async function planToReadAgain(
  context: SyncContext,
  direction: 'toHelium' | 'toJourney',
  { toHelium, toJourney }: Position,
  { onHeld, opLogPoint }: { readonly onHeld: OnHeld; readonly opLogPoint: OpLogPoint | null },
): Promise<FullReadPlan> {
  const tables = context.mapping.objects.filter((map) => map[direction]).map(({ table }) => table);
  if (opLogPoint) {
    const afterLog = { ...createSnapshot(tables, null), isAfterLog: true };
    return save(context, { toHelium: afterLog, toJourney, opLogPoint, opLogCursor: opLogPoint.sequence });
  }
  const heads = createHeads(context, onHeld);
  const again = createSnapshot(tables, await heads[direction]());
  const snapshot: Snapshot = direction === 'toHelium' ? { ...again, absent: 'ask about any' } : again;
  return save(context, { toHelium, toJourney, [direction]: snapshot, ...heads.points });
}

async function save(context: SyncContext, plan: FullReadPlan): Promise<FullReadPlan> {
  await withLockedState(context, (db) => saveRun(db, context.stateId, plan));
  return plan;
}

/** Reads where the logs end now, and remembers the entries there. */
function createHeads(context: SyncContext, onHeld: OnHeld) {
  const points: { -readonly [Name in keyof Points]?: Points[Name] } = {};
  return {
    points,
    async toHelium() {
      const { cursor, point } = await readOpLogHead(context);
      points.opLogPoint = point;
      return cursor;
    },
    async toJourney() {
      const { cursor, point } = await readChangeLogHead(context, onHeld);
      points.changeLogPoint = point;
      return cursor;
    },
  };
}

async function startFromZero(
  before: Snapshot | null,
  tables: readonly string[],
  readHead: ReadHead,
): Promise<Snapshot> {
  return before ? withTables(before, tables) : createSnapshot(tables, await readHead());
}

/**
 * Everything is read as it is now. What happened between the requested version and the head is not
 * repeated: old entries would undo what followed them.
 */
async function startAgain(tables: readonly string[], readHead: ReadHead): Promise<Snapshot> {
  return { ...createSnapshot(tables, await readHead()), absent: 'keep' };
}

function addTables(before: Snapshot | null, tables: readonly string[]): Snapshot | null {
  if (before === null) return tables.length === 0 ? null : createSnapshot(tables, null);
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
