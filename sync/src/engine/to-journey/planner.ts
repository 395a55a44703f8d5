/**
 * Plans a page in one transaction: what Journey lacks of its records is saved as intents. Where
 * records are unknown, nothing is changed.
 */
import type { ChangeLogPoint } from '../../helium/helium-gateway.ts';
import { withLimitedWaits } from '../../helium/limit-waits.ts';
import type { KeyMap, RecordKey } from '../../record/record-key.ts';
import { clearDirty, type DirtyRecord } from '../../sync-state/dirty-records.store.ts';
import { removeIntents } from '../../sync-state/intents.store.ts';
import type { RunChange } from '../../sync-state/runs.store.ts';
import { checkHelium } from '../restore/notice/check-helium.ts';
import { findObjectMap, inPageTransaction, type PageTransaction, type SyncContext } from '../state/context.ts';
import type { FoundRecord } from '../state/look-ups.ts';
import type { KeyToPlan } from './planner/plan-record.ts';
import { getIntentRefs, planWrites, type WritePlan } from './planner/plan-writes.ts';

/** The changes to save once the keys are synced. */
export interface PageCompletion extends RunChange {
  readonly dirty?: readonly DirtyRecord[];
}

/** A page that is planned and not sent yet. */
export interface PlannedPage extends WritePlan {
  /** Whether the page had nothing to send and is already saved as done. */
  readonly isDone: boolean;
}

interface PlanOptions {
  /**
   * The changes to save when there is nothing to send; null while the previous page is unanswered.
   */
  readonly done: PageCompletion | null;
  /** What Journey has of the records that were looked up. */
  readonly found: KeyMap<FoundRecord>;
  /** The change-log entry the page ends with. */
  readonly newest?: ChangeLogPoint | null;
}

export async function planPage(
  context: SyncContext,
  keys: readonly KeyToPlan[],
  { done, found, newest = done?.changeLogPoint ?? null }: PlanOptions,
): Promise<PlannedPage> {
  const mapped = keys.filter(({ table }) => findObjectMap(context, table)?.toJourney);
  return inPageTransaction(context, toScope(keys), async (db, { lastCall, completeTables, changeLogCursor }) => {
    const base = { call: lastCall + 1, completeTables, changeLogCursor, found };
    const { plan, head } = await withLimitedWaits(db, async () => {
      const plan = await planWrites(context, db, mapped, base);
      // After the rows were read, so that nothing is sent that a restore did to them.
      const { head } = plan.planned.length > 0 ? await checkHelium(context, db, newest) : { head: null };
      return { plan, head };
    });
    const isDone = done !== null && plan.planned.length === 0 && plan.unknown.length === 0;
    if (isDone) await clearDirty(db, context.stateId, done.dirty ?? []);
    const opened = plan.call !== null && { openedCall: plan.call, ...(head && { sentPoint: head }) };
    const change = { ...(isDone && done), ...opened };
    return { result: { ...plan, isDone }, change };
  });
}

/** Removes what was planned and will not be sent. */
export async function discardPage(context: SyncContext, { planned, call }: PlannedPage): Promise<void> {
  if (call === null) return;
  await inPageTransaction(context, toScope(planned.map(({ key }) => key)), async (db) => {
    await removeIntents(db, context.stateId, getIntentRefs(planned));
    return { result: undefined, change: { answeredCall: call } };
  });
}

export function toScope(keys: readonly RecordKey[]): PageTransaction {
  return { direction: 'helium-to-journey', keys };
}
