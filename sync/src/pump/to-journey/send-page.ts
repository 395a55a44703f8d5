/**
 * Helium → Journey, one page:
 *
 *   dirty keys ─▶ rows as they are now ─▶ differ from what Journey holds or will hold?
 *     ─▶ intents remembered ─▶ one batch ─▶ answered, cursor moved
 *      └────── transaction ──────┘              └── transaction ──┘
 *
 * Killed in between, the next run finds the cursor where it was and the intents unanswered, and
 * sends the same again. A page may be planned while the one before it is sent (`prefetch.ts`), and
 * is answered after it: cursors only grow.
 */

import type { Db } from '../../helium/helium-gateway.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { clearDirty, type DirtyRecord, markDirty } from '../../sync-state/dirty-records.store.ts';
import { removeIntents } from '../../sync-state/intents.store.ts';
import { type RunChange, saveRun } from '../../sync-state/runs.store.ts';
import { inState, mapOf, type SyncContext } from '../shared/sync-context.ts';
import { intentsOf, type Plan, planWrites } from './plan-writes.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { sendPlannedWrites } from './send-planned-writes.ts';

/** What is true once the keys are carried over. */
export interface PageCompletion extends RunChange {
  readonly dirty?: readonly DirtyRecord[];
}

export interface SentPage {
  readonly sent: number;
  readonly refused: number;
  /** Whether records that Journey had refused were sent again, or need not be any more. */
  readonly hadHeld: boolean;
  /** Number of the last intent that was acknowledged. */
  readonly acknowledged: number;
}

export async function planAndSendPage(
  context: SyncContext,
  keys: readonly RecordKey[],
  done: PageCompletion,
): Promise<SentPage> {
  return sendPage(context, await planPage(context, keys, done), done);
}

/** A page that is planned; nothing of it is sent yet. */
export interface PlannedPage extends Plan {
  /** Nothing was to be sent, and what then is true is written down. */
  readonly isDone: boolean;
}

/**
 * @param done what is true when there is nothing to send; null while the page before it has yet to
 * be answered
 */
export async function planPage(
  context: SyncContext,
  keys: readonly RecordKey[],
  done: PageCompletion | null,
): Promise<PlannedPage> {
  const mapped = keys.filter(({ table }) => mapOf(context, table)?.toJourney);
  return inState(context, async (db, { lastCall }) => {
    const plan = await planWrites(context, db, mapped, lastCall + 1);
    const isDone = done !== null && plan.planned.length === 0;
    if (isDone) await finish(context, db, done);
    return { ...plan, isDone };
  });
}

/** Takes back what was planned and will not be sent. */
export async function discardPage(context: SyncContext, { planned, call }: PlannedPage): Promise<void> {
  if (call === null) return;
  await inState(context, async (db) => {
    await removeIntents(db, context.stateId, intentsOf(planned));
    await saveRun(db, context.stateId, { answered: call });
  });
}

export async function sendPage(context: SyncContext, page: PlannedPage, done: PageCompletion): Promise<SentPage> {
  const { planned, hadHeld, call } = page;
  if (planned.length === 0) {
    if (!page.isDone) await inState(context, (db) => finish(context, db, done));
    return { sent: 0, refused: 0, hadHeld, acknowledged: 0 };
  }
  const { outcomes, changed } = await sendPlannedWrites(context, planned);
  await inState(context, async (db) => {
    await recordOutcomes(context, db, planned, outcomes);
    await markDirty(db, context.stateId, changed);
    await finish(context, db, { ...done, ...(call !== null && { answered: call }) });
  });
  let [sent, refused, acknowledged] = [0, 0, 0];
  for (const { status } of outcomes.values()) {
    if (status === 'refused') refused += 1;
    else sent += 1;
  }
  for (const { intentNumber } of planned) acknowledged = Math.max(acknowledged, intentNumber);
  return { sent, refused, hadHeld, acknowledged };
}

async function finish(context: SyncContext, db: Db, done: PageCompletion): Promise<void> {
  await clearDirty(db, context.stateId, done.dirty ?? []);
  await saveRun(db, context.stateId, done);
}
