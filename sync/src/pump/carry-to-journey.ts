/**
 * Helium → Journey, one page:
 *
 *   dirty keys ─▶ rows as they are now ─▶ differ from what Journey holds or will hold?
 *     ─▶ intents remembered ─▶ one batch ─▶ answered, cursor moved
 *      └────── transaction ──────┘              └── transaction ──┘
 *
 * Killed in between, the next run finds the cursor where it was and the intents unanswered, and sends the same again.
 */
import type { RecordKey } from '../engine/record-key.ts';
import type { Db } from '../helium/helium-end.ts';
import { clearDirty, type DirtyRecord, markDirty } from '../state/dirty-store.ts';
import { type RunChange, saveRun } from '../state/run-store.ts';
import { accountAnswers } from './account-answers.ts';
import { type Plan, planWrites } from './plan-writes.ts';
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
  const mapped = keys.filter(({ table }) => mapOf(pump, table)?.toJourney);
  const plan = await inState(pump, async (db, { lastCall }) => {
    const plan = await planWrites(pump, db, mapped, lastCall + 1);
    if (plan.planned.length === 0) await finish(pump, db, done);
    return plan;
  });
  return plan.planned.length === 0
    ? { sent: 0, refused: 0, hadHeld: plan.hadHeld, acknowledged: 0 }
    : send(pump, plan, done);
}

async function send(pump: Pump, { planned, hadHeld, call }: Plan, done: Done): Promise<Carried> {
  const { outcomes, changed } = await sendPlanned(pump, planned);
  await inState(pump, async (db) => {
    await accountAnswers(pump, db, planned, outcomes);
    await markDirty(db, pump.run, changed);
    await finish(pump, db, { ...done, answered: call });
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
