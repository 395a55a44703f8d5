import type { TrailEvent } from '@portal/contract/sync/trail';
import type { KeyMap } from '../../../record/record-key.ts';
import type { Hold } from '../../../sync-state/held-records.store.ts';
import type { RecordEvent } from '../../../sync-state/trail.store.ts';
import type { MergedEntry } from '../merger/merged-entry.ts';

const heldEvents = {
  waiting: 'waiting for Helium',
  parked: 'parked',
  dead: 'rejected by Helium',
  skipped: 'skipped',
} as const satisfies Record<Hold['state'], TrailEvent>;

/** Lists what happened to the merged records of a page, for the trail. Echoes are no events. */
export function listAppliedEvents(merged: readonly MergedEntry[], holds: KeyMap<Hold>): RecordEvent[] {
  const events: RecordEvent[] = [];
  for (const one of merged) {
    const event = findEvent(one, holds.get(one.key));
    if (event !== null) events.push({ key: one.key, event });
  }
  return events;
}

function findEvent(merged: MergedEntry, hold: Hold | undefined): TrailEvent | null {
  const { row, rowAfter, held, isListed, isChanged, conflicts } = merged;
  // A retry that changes nothing is no event: a record waiting for a lock is retried each second.
  if (hold) return hold.state === held?.state && !isChanged ? null : heldEvents[hold.state];
  if (rowAfter === row) return isListed && !held ? null : 'unchanged';
  if (rowAfter === null) return 'deleted in Helium';
  return conflicts.length > 0 ? 'merged' : 'written';
}
