/** Plans and sends a page. Journey is asked first for the records of which nothing is known. */
import { KeyMap } from '../../../record/record-key.ts';
import { compareMoved, settleRenamed } from '../../missing/rewritten-tables.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import type { SyncContext } from '../../state/context.ts';
import type { FoundRecord, UnknownRecord } from '../../state/look-ups.ts';
import { lookUp } from '../planner/look-up.ts';
import type { KeyToPlan } from '../planner/plan-record.ts';
import { sendAndReport } from './send-and-report.ts';
import { type PageCompletion, type PlannedPage, planPage, sendPage } from './send-page.ts';

export interface PageToSend {
  readonly context: SyncContext;
  readonly keys: readonly KeyToPlan[];
  readonly done: PageCompletion;
  /** The plan, when the page was planned ahead. */
  readonly plan?: PlannedPage | null;
  readonly onPlanned?: (plan: PlannedPage) => void;
}

/**
 * Returns whether the page was sent; otherwise the mapping has changed and the page is read again.
 */
export async function planAndSend(active: ActiveRun, page: PageToSend): Promise<boolean> {
  const { signal } = active.run;
  const found = new KeyMap<FoundRecord>();
  for (;;) {
    const unknown = await trySend(active, page, found);
    if (unknown.length === 0) return true;
    await lookUp(active, page.context, unknown, { found, signal });
    if (active.context !== page.context) return false;
  }
}

/**
 * Plans and sends a page unless records in it are unknown. Returns these.
 *
 * @param found what Journey has of the records that were looked up
 */
export async function trySend(
  active: ActiveRun,
  { context, keys, done, plan: planned, onPlanned }: PageToSend,
  found: KeyMap<FoundRecord>,
): Promise<readonly UnknownRecord[]> {
  let unknown: readonly UnknownRecord[] = [];
  await sendAndReport(active, async (onCall) => {
    const plan = planned ?? (await planPage(context, keys, { done, found }));
    unknown = plan.unknown;
    if (unknown.length > 0) return null;
    onPlanned?.(plan);
    // Files that lost one may have to be fetched.
    if (plan.conflicts > 0) active.files.wake();
    // Before the page is done: if it is not, it is planned again.
    if (plan.renamedTables.length > 0) await settleRenamed(active, plan.renamedTables);
    if (plan.movedTables.length > 0) await compareMoved(active, plan.movedTables);
    const base = { lastSentMs: active.tally.lastSentMs, backoff: active.timing.retry };
    return sendPage(context, plan, { done, base, getMapping: () => active.mapping.followed, onCall });
  });
  return unknown;
}
