/** Saves what Journey answered to a page, and moves the cursor, in one transaction. */
import type { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyOutcome } from '../../journey/journey-gateway.ts';
import { compareMappings } from '../../mapping/compare-mappings.ts';
import type { Mapping } from '../../mapping/object-map.ts';
import { getValue } from '../../record/fields.ts';
import type { KeyMap, RecordKey } from '../../record/record-key.ts';
import { type KnownAttachment, saveAttachments } from '../../sync-state/attachments.store.ts';
import { clearDirty, markDirty } from '../../sync-state/dirty-records.store.ts';
import { addToTrail } from '../../sync-state/trail.store.ts';
import { inPageTransaction, type SyncContext } from '../state/context.ts';
import type { PlannedWrite } from './planner/plan-record.ts';
import { type PageCompletion, type PlannedPage, toScope } from './planner.ts';
import { recordOutcomes } from './receipts/outcomes.ts';
import { listSentEvents } from './receipts/sent-events.ts';
import { findDirectionFailure, type HoldBase } from './receipts/undecided-writes.ts';
import type { SendResult } from './sender.ts';

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

interface ReceiptOptions {
  readonly done: PageCompletion;
  /** Without the time. */
  readonly base: Omit<HoldBase, 'nowMs'>;
  /** When Journey was called, by its clock. */
  readonly calledAtMs: number;
  /** Returns the mapping that is followed when Journey has answered. */
  readonly getMapping: () => Mapping;
}

export async function saveReceipts(
  context: SyncContext,
  page: PlannedPage,
  { outcomes, changed }: SendResult,
  { done, base, calledAtMs, getMapping }: ReceiptOptions,
): Promise<SentPage> {
  const { planned, mayChangeCounts, call, conflicts } = page;
  const dirty = done.dirty ?? [];
  const answeredAtMs = context.journey.nowMs();
  const nowMs = Date.now();
  const isAnyDone = [...outcomes.values()].some(({ status }) => status === 'done');
  const lastSentMs = isAnyDone ? nowMs : base.lastSentMs;
  await inPageTransaction(context, toScope([...planned.map(({ key }) => key), ...dirty]), async (db) => {
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

/** Saves that a page without anything to send is done, unless its plan has done so. */
export async function finishEmptyPage(
  context: SyncContext,
  { isDone, mayChangeCounts, conflicts }: PlannedPage,
  done: PageCompletion,
): Promise<SentPage> {
  const dirty = done.dirty ?? [];
  if (!isDone)
    await inPageTransaction(context, toScope(dirty), async (db) => {
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
  return planned
    .map(({ key }) => key)
    .filter((key) => {
      const outcome = outcomes.get(key);
      return outcome?.status === 'undecided' && outcome.fault === 'call';
    });
}
