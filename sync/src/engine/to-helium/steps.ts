import { readCounts } from '../../sync-state/counts.store.ts';
import type { RunWith } from '../run/parts.ts';
import { takeBaselinePage } from './reader/baseline-page.ts';
import { retryBlockedRecords } from './reader/blocked-records.ts';
import { lookAtChangeLog, lookAtOpLog } from './reader/check-unread-logs.ts';
import { applyDecisions } from './reader/decided-absences.ts';
import { lookUpRecords } from './reader/look-up-records.ts';
import type { OpLogPages } from './reader/op-log-pages.ts';
import type { PollPace } from './reader/poll-pace.ts';
import { readAllObjects } from './reader/read-all-objects.ts';
import { refreshRecord } from './reader/refresh-record.ts';
import { retryDueRecords } from './reader/retry-due-records.ts';
import { readOpLog } from './reader.ts';

export interface Round {
  readonly run: RunWith<
    'announced' | 'echoes' | 'lookUps' | 'loops' | 'mapping' | 'progress' | 'readAgain' | 'refreshQueue' | 'tally'
  >;
  readonly pages: OpLogPages;
  readonly pace: PollPace;
}

/**
 * The result of a step: 'nothing' continues with the next step, 'more' starts another round at
 * once, 'rest' ends the round.
 */
type StepResult = 'nothing' | 'more' | 'rest';

type RoundStep = (round: Round) => Promise<StepResult>;

/** The first step with something to do ends the round. */
const steps: readonly RoundStep[] = [
  // First, because it decides whether records may be due.
  publishCounts,
  // Before anything is written, in whichever direction the integration syncs.
  takeBaseline,
  // With this direction off, none of the steps below applies.
  followModelOnly,
  // Before full reads, which would collect these records again.
  applyNextDecisions,
  // Before the op-log, which is then read from its position when the full read was planned. After a
  // gap, what is left of the op-log comes first.
  readNextObjects,
  // Early, because a page waits for these records.
  lookUpNextRecords,
  // Early, because a comparison waits for these records.
  refreshNextRecord,
  // Before the op-log: new entries of a held record only queue behind it.
  retryRecords,
  // Last: the op-log is polled only when nothing else is left to do.
  pollOpLog,
];

/** Returns whether there is more to do at once. */
export async function runRound(round: Round): Promise<boolean> {
  for (const step of steps) {
    const result = await step(round);
    if (result !== 'nothing') return result === 'more';
  }
  return false;
}

async function publishCounts({ run }: Round): Promise<StepResult> {
  const { context, tally } = run;
  const counts = await tally.recount(() => readCounts(context.helium.pool, context.stateId));
  if (counts) run.publish(counts);
  return 'nothing';
}

async function takeBaseline({ run }: Round): Promise<StepResult> {
  return (await takeBaselinePage(run)) ? 'more' : 'nothing';
}

/** Only checks that Journey responds and was not restored, and follows its data model. */
async function followModelOnly({ run, pace }: Round): Promise<StepResult> {
  if (run.context.isFromJourney) return 'nothing';
  const { mapping } = run;
  pace.recordPoll();
  const dataModelHash = await run.context.withSlot(() => lookAtOpLog(run));
  run.publish({ lastPingedMs: Date.now() });
  run.publish({ journeySyncStatus: 'Off' });
  await mapping.followModel(dataModelHash);
  return 'rest';
}

async function applyNextDecisions({ run }: Round): Promise<StepResult> {
  return (await applyDecisions(run)) ? 'more' : 'nothing';
}

async function readNextObjects({ run }: Round): Promise<StepResult> {
  const { fullReadToHelium } = run.progress;
  if (!fullReadToHelium || fullReadToHelium.isAfterLog) return 'nothing';
  return (await readAllObjects(run, fullReadToHelium)) ? 'more' : 'rest';
}

async function lookUpNextRecords({ run }: Round): Promise<StepResult> {
  const { first } = run.lookUps;
  if (!first) return 'nothing';
  await lookUpRecords(run, first);
  run.lookUps.remove(first);
  return 'more';
}

async function refreshNextRecord({ run }: Round): Promise<StepResult> {
  const { first } = run.refreshQueue;
  if (!first) return 'nothing';
  await refreshRecord(run, first);
  run.refreshQueue.removeFirst();
  return 'more';
}

async function retryRecords({ run }: Round): Promise<StepResult> {
  return run.tally.hasHeld && (await retryDueRecords(run)) ? 'more' : 'nothing';
}

async function pollOpLog({ run, pages, pace }: Round): Promise<StepResult> {
  pace.recordPoll();
  if (!run.context.isFromHelium) await lookAtChangeLog(run);
  const { isLast, isChanged } = await readOpLog(run, pages);
  if (isChanged) pace.recordChange();
  // More is likely to follow a change, and held records may be due. Otherwise a webhook reports
  // what follows, and must not wait for another poll.
  const isFollowed = isChanged && (run.tally.hasHeld || !run.announced.areComplete(Date.now()));
  const isRetried = isLast && (await retryBlockedRecords(run));
  return !isLast || isFollowed || isRetried ? 'more' : 'rest';
}
