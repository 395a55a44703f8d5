/**
 * Helium → Journey, one page:
 *
 *   dirty keys ─▶ rows as they are now ─▶ differ from what Journey holds or will hold?
 *     ─▶ intents remembered ─▶ one batch ─▶ answered, cursor moved
 *      └────── transaction ──────┘              └── transaction ──┘
 *
 * Killed in between, the next run finds the cursor where it was and the intents unanswered, and sends the same again. A
 * page may be planned while the one before it is sent (`change-pages.ts`), and is answered after it: cursors only grow.
 */
import type { RecordKey } from '../engine/record-key.ts';
import type { Db } from '../helium/helium-end.ts';
import { clearDirty, type DirtyRecord, markDirty } from '../state/dirty-store.ts';
import { removeIntents } from '../state/intent-store.ts';
import { type RunChange, saveRun } from '../state/run-store.ts';
import { accountAnswers } from './account-answers.ts';
import { intentsOf, type Plan, planWrites } from './plan-writes.ts';
import { inState, mapOf, type Pump } from './pump.ts';
import { sendPlanned } from './send-planned.ts';

/** What is true once the keys are carried over. */
export interface Done extends RunChange {
  readonly dirty?: readonly DirtyRecord[];
}

export interface Carried {
  readonly sent: number;
  readonly refused: number;
  /** Whether records that Journey had refused were sent again, or need not be any more. */
  readonly hadHeld: boolean;
  /** Number of the last intent that was acknowledged. */
  readonly acknowledged: number;
}

export async function carryToJourney(pump: Pump, keys: readonly RecordKey[], done: Done): Promise<Carried> {
  return sendPage(pump, await planPage(pump, keys, done), done);
}

/** A page that is planned; nothing of it is sent yet. */
export interface PlannedPage extends Plan {
  /** Nothing was to be sent, and what then is true is written down. */
  readonly isDone: boolean;
}

/** @param done what is true when there is nothing to send; null while the page before it has yet to be answered */
export async function planPage(pump: Pump, keys: readonly RecordKey[], done: Done | null): Promise<PlannedPage> {
  const mapped = keys.filter(({ table }) => mapOf(pump, table)?.toJourney);
  return inState(pump, async (db, { lastCall }) => {
    const plan = await planWrites(pump, db, mapped, lastCall + 1);
    const isDone = done !== null && plan.planned.length === 0;
    if (isDone) await finish(pump, db, done);
    return { ...plan, isDone };
  });
}

/** Takes back what was planned and will not be sent. */
export async function forgetPage(pump: Pump, { planned, call }: PlannedPage): Promise<void> {
  if (call === null) return;
  await inState(pump, async (db) => {
    await removeIntents(db, pump.run, intentsOf(planned));
    await saveRun(db, pump.run, { answered: call });
  });
}

export async function sendPage(pump: Pump, page: PlannedPage, done: Done): Promise<Carried> {
  const { planned, hadHeld, call } = page;
  if (planned.length === 0) {
    if (!page.isDone) await inState(pump, (db) => finish(pump, db, done));
    return { sent: 0, refused: 0, hadHeld, acknowledged: 0 };
  }
  const { outcomes, changed } = await sendPlanned(pump, planned);
  await inState(pump, async (db) => {
    await accountAnswers(pump, db, planned, outcomes);
    await markDirty(db, pump.run, changed);
    await finish(pump, db, { ...done, ...(call !== null && { answered: call }) });
  });
  let [sent, refused, acknowledged] = [0, 0, 0];
  for (const { is } of outcomes.values()) {
    if (is === 'refused') refused += 1;
    else sent += 1;
  }
  for (const { intentNo } of planned) acknowledged = Math.max(acknowledged, intentNo);
  return { sent, refused, hadHeld, acknowledged };
}

async function finish(pump: Pump, db: Db, done: Done): Promise<void> {
  await clearDirty(db, pump.run, done.dirty ?? []);
  await saveRun(db, pump.run, done);
}
