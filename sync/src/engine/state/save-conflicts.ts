import type { Db } from '../../helium/helium-gateway.ts';
import { formatCount } from '../../integration/format-count.ts';
import type { Conflict } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { addConflicts, type SavedConflicts } from '../../sync-state/conflicts.store.ts';
import type { SyncContext } from './context.ts';

export interface RecordConflict {
  readonly key: RecordKey;
  readonly conflict: Conflict;
}

/** Saves conflicts, and logs how many old ones were removed. Returns their numbers. */
export async function saveConflicts(
  { stateId, log }: Pick<SyncContext, 'stateId' | 'log'>,
  db: Db,
  conflicts: readonly RecordConflict[],
): Promise<SavedConflicts> {
  const saved = await addConflicts(db, stateId, conflicts);
  if (saved.removed > 0)
    log('INFO', `${formatCount(saved.removed, 'conflict')} older than a year removed from the list.`);
  return saved;
}
