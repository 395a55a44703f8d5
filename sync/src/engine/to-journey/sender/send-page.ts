/**
 * Helium → Journey, one page:
 *
 *   dirty keys ─▶ rows as they are now ─▶ differ from what Journey holds or will hold?
 *     ─▶ intents saved ─▶ one batch ─▶ answered, cursor moved
 *      └───── transaction ────┘           └── transaction ──┘
 *
 * After a kill in between, the next run finds the cursor unchanged and the intents unanswered, and
 * sends the same writes again. A page may be planned while the previous one is sent
 * (`prefetch.ts`); its response is processed after the previous one's, so cursors only grow.
 */

import type { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { ChangeLogPoint } from '../../../helium/helium-gateway.ts';
import { withLimitedWaits } from '../../../helium/limit-waits.ts';
import type { JourneyOutcome } from '../../../journey/journey-gateway.ts';
import { compareMappings } from '../../../mapping/compare-mappings.ts';
import type { Mapping } from '../../../mapping/object-map.ts';
import { getValue } from '../../../record/fields.ts';
import type { KeyMap, RecordKey } from '../../../record/record-key.ts';
import { type KnownAttachment, saveAttachments } from '../../../sync-state/attachments.store.ts';
import { clearDirty, type DirtyRecord, markDirty } from '../../../sync-state/dirty-records.store.ts';
import { removeIntents } from '../../../sync-state/intents.store.ts';
import type { RunChange } from '../../../sync-state/runs.store.ts';
import { addToTrail } from '../../../sync-state/trail.store.ts';
import { verifyHelium } from '../../restore/notice/check-helium.ts';
import { findObjectMap, inPageTransaction, type PageTransaction, type SyncContext } from '../../state/context.ts';
import type { FoundRecord } from '../../state/look-ups.ts';
import type { KeyToPlan, PlannedWrite } from '../planner/plan-record.ts';
import { getIntentRefs, planWrites, type WritePlan } from '../planner.ts';
import { listSentEvents } from '../receipts/sent-events.ts';
import { findDirectionFailure, type HoldBase } from '../receipts/undecided-writes.ts';
import { recordOutcomes } from '../receipts.ts';
import { sendPlannedWrites } from '../sender.ts';

/** The changes to save once the keys are synced. */
export interface PageCompletion extends RunChange {
  readonly dirty?: readonly DirtyRecord[];
}

export interface SentPage {
  /** The records that were sent. */
  readonly sentKeys: readonly RecordKey[];
  readonly refused: number;
  /** One for each record that Journey did not decide about and that is retried. */
  readonly undecided: readonly JourneyProblem[];
  /** Why calls are searched for the record at fault. */
  readonly suspected: JourneyProblem | undefined;
  /** Why the direction must pause before it sends more. */
  readonly failure: JourneyProblem | undefined;
  /** Whether records that Journey had rejected were sent again or no longer need to be. */
  readonly mayChangeCounts: boolean;
  /** The last intent that was acknowledged. */
  readonly acknowledged: number;
  /** Whether Journey did not have one of the records. */
  readonly hasMissing: boolean;
  /** A time by Journey's clock after it answered. */
  readonly answeredAtMs: number;
  /** How many conflicts with values that Journey had were recorded. */
  readonly conflicts: number;
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
      const { head } = plan.planned.length > 0 ? await verifyHelium(context, db, newest) : { head: null };
      return { plan, head };
    });
    const isDone = done !== null && plan.planned.length === 0 && plan.unknown.length === 0;
    if (isDone) await clearDirty(db, context.stateId, done.dirty ?? []);
    const opened = plan.call !== null && { openedCall: plan.call, ...(head && { sentPoint: head }) };
    const change = { ...(isDone && done), ...opened };
    return { result: { ...plan, isDone }, change };
  });
}

/** Returns the files that Journey has now, and need not be downloaded to recognize them. */
function findSentFiles(planned: readonly PlannedWrite[], outcomes: KeyMap<JourneyOutcome>): KnownAttachment[] {
  return planned.flatMap(({ key, fields }) => {
    const outcome = outcomes.get(key);
    const fileIds = outcome?.status === 'done' ? (outcome.fileIds ?? {}) : {};
    return Object.entries(fileIds).flatMap(([column, journeyId]) => {
      const value = getValue(fields, column);
      return typeof value === 'string' ? [{ journeyId, value, key, column, lacksEnd: false }] : [];
    });
  });
}

/** Returns the records of calls of which one record, not known which, is at fault. */
function findSuspects(planned: readonly PlannedWrite[], outcomes: KeyMap<JourneyOutcome>): RecordKey[] {
  return getKeys(planned).filter((key) => {
    const outcome = outcomes.get(key);
    return outcome?.status === 'undecided' && outcome.fault === 'call';
  });
}

function toScope(keys: readonly RecordKey[]): PageTransaction {
  return { direction: 'helium-to-journey', keys };
}

/** Removes what was planned and will not be sent. */
export async function discardPage(context: SyncContext, { planned, call }: PlannedPage): Promise<void> {
  if (call === null) return;
  await inPageTransaction(context, toScope(getKeys(planned)), async (db) => {
    await removeIntents(db, context.stateId, getIntentRefs(planned));
    return { result: undefined, change: { answeredCall: call } };
  });
}

function getKeys(planned: readonly PlannedWrite[]): RecordKey[] {
  return planned.map(({ key }) => key);
}

interface SendOptions {
  readonly done: PageCompletion;
  /** Without the time. */
  readonly base: Omit<HoldBase, 'nowMs'>;
  /** Returns the mapping that is followed when Journey has answered. */
  readonly getMapping: () => Mapping;
  /** Runs before each call that sends writes. */
  readonly onCall: () => void;
}

export async function sendPage(
  context: SyncContext,
  page: PlannedPage,
  { done, base, getMapping, onCall }: SendOptions,
): Promise<SentPage> {
  const { planned, mayChangeCounts, call, conflicts } = page;
  const dirty = done.dirty ?? [];
  const scope = toScope([...getKeys(planned), ...dirty]);
  if (planned.length === 0) {
    if (!page.isDone)
      await inPageTransaction(context, scope, async (db) => {
        await clearDirty(db, context.stateId, dirty);
        return { result: undefined, change: done };
      });
    return {
      sentKeys: [],
      refused: 0,
      undecided: [],
      suspected: undefined,
      failure: undefined,
      mayChangeCounts,
      acknowledged: 0,
      hasMissing: false,
      answeredAtMs: 0,
      conflicts,
    };
  }
  const calledAtMs = context.journey.nowMs();
  const { outcomes, changed } = await sendPlannedWrites(context, planned, onCall);
  const answeredAtMs = context.journey.nowMs();
  const nowMs = Date.now();
  const isAnyDone = [...outcomes.values()].some(({ status }) => status === 'done');
  const lastSentMs = isAnyDone ? nowMs : base.lastSentMs;
  await inPageTransaction(context, scope, async (db) => {
    const mapping = getMapping();
    const unknown = mapping === context.mapping ? [] : compareMappings(context.mapping, mapping).unknown;
    await recordOutcomes(context, db, { planned, unknown }, outcomes, { ...base, lastSentMs, nowMs, calledAtMs });
    await addToTrail(db, context.stateId, {
      version: done.changeLogCursor ?? null,
      events: listSentEvents(planned, outcomes),
    });
    await saveAttachments(db, context.stateId, findSentFiles(planned, outcomes));
    await markDirty(db, context.stateId, [...changed, ...findSuspects(planned, outcomes)]);
    await clearDirty(db, context.stateId, dirty);
    return { result: undefined, change: { ...done, ...(call !== null && { answeredCall: call }) } };
  });
  let [refused, acknowledged] = [0, 0];
  let hasMissing = false;
  const undecided: JourneyProblem[] = [];
  let suspected: JourneyProblem | undefined;
  const sentKeys: RecordKey[] = [];
  for (const { key, intentId } of planned) {
    acknowledged = Math.max(acknowledged, intentId);
    const outcome = outcomes.get(key);
    hasMissing ||= outcome?.status === 'missing';
    if (outcome?.status === 'undecided' && outcome.fault === 'call') suspected ??= outcome.problem;
    if (outcome?.status === 'refused') refused += 1;
    else if (outcome?.status === 'undecided') undecided.push(outcome.problem);
    else sentKeys.push(key);
  }
  const failure = findDirectionFailure([...outcomes.values()]);
  return {
    sentKeys,
    refused,
    undecided,
    suspected,
    failure,
    mayChangeCounts,
    acknowledged,
    hasMissing,
    answeredAtMs,
    conflicts,
  };
}
