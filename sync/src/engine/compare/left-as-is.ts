import { formatCount } from '../../integration/format-count.ts';
import { replaceDifferences } from '../../sync-state/differences.store.ts';
import { RestoreFound } from '../restore/notice/restore-found.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findObjectMap, withLockedState } from '../state/context.ts';
import type { LeftRecord } from './find-left-as-is.ts';
import { countLostWrites } from './find-lost-writes.ts';

/** The most records of a table that are listed for operators. */
export const maxListed = 1_000;

/**
 * Lists the records of a table that are left as they are, once the whole table was compared. Throws
 * RestoreFound when Journey has lost what was written to it.
 */
export async function settleLeftAsIs(active: ActiveRun, table: string, left: readonly LeftRecord[]): Promise<void> {
  const { context } = active;
  const { stateId } = context;
  const map = findObjectMap(context, table);
  const lost = map ? await countLostWrites(active, map, left) : 0;
  if (lost > 0)
    throw new RestoreFound(
      `Journey was restored, or a part of it was. It has lost what was written to ${formatCount(lost, `${table} record`)}, ` +
        'and its op-log names no change since then.',
      { side: 'journey', asOf: null, tables: null },
    );
  await withLockedState(context, (db) => replaceDifferences(db, { stateId, table }, left.slice(0, maxListed)));
}
