import { readCounts } from '../../sync-state/counts.store.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { adoptNextPage } from './reader/baseline-page.ts';
import { settleBlocked } from './reader/blocked-records.ts';
import { lookAtChangeLog, lookAtOpLog } from './reader/check-unread-logs.ts';
import { settleDecided } from './reader/decided-absences.ts';
import { lookUpRecords } from './reader/look-up-records.ts';
import type { OpLogPages } from './reader/op-log-pages.ts';
import type { PollPace } from './reader/poll-pace.ts';
import { readAllObjects } from './reader/read-all-objects.ts';
import { refreshRecord } from './reader/refresh-record.ts';
import { retryDueRecords } from './reader/retry-due-records.ts';
import { readOpLog } from './reader.ts';

export interface Round {
  readonly active: ActiveRun;
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
  adoptPage,
  // With this direction off, none of the steps below applies.
  followModelOnly,
  // Before full reads, which would collect these records again.
  settleNextDecided,
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

async function publishCounts({ active: { context, run, tally } }: Round): Promise<StepResult> {
  const counts = await tally.recount(() => readCounts(context.helium.pool, context.stateId));
  if (counts) run.publish(counts);
  return 'nothing';
}

async function adoptPage({ active }: Round): Promise<StepResult> {
  return (await adoptNextPage(active)) ? 'more' : 'nothing';
}

/** Only checks that Journey responds and was not restored, and follows its data model. */
async function followModelOnly({ active, pace }: Round): Promise<StepResult> {
  if (active.isFromJourney) return 'nothing';
  const { run, mapping } = active;
  pace.recordPoll();
  const dataModelHash = await run.withSlot(() => lookAtOpLog(active));
  run.publish({ lastPingedMs: Date.now() });
  run.publish({ journeySyncStatus: 'Off' });
  await mapping.followModel(dataModelHash);
  return 'rest';
}

async function settleNextDecided({ active }: Round): Promise<StepResult> {
  return (await settleDecided(active)) ? 'more' : 'nothing';
}

async function readNextObjects({ active }: Round): Promise<StepResult> {
  const { fullReadToHelium } = active.progress;
  if (!fullReadToHelium || fullReadToHelium.isAfterLog) return 'nothing';
  return (await readAllObjects(active, fullReadToHelium)) ? 'more' : 'rest';
}

async function lookUpNextRecords({ active }: Round): Promise<StepResult> {
  const { first } = active.lookUps;
  if (!first) return 'nothing';
  await lookUpRecords(active, first);
  active.lookUps.remove(first);
  return 'more';
}

async function refreshNextRecord({ active }: Round): Promise<StepResult> {
  const { first } = active.refreshQueue;
  if (!first) return 'nothing';
  await refreshRecord(active, first);
  active.refreshQueue.removeFirst();
  return 'more';
}

async function retryRecords({ active }: Round): Promise<StepResult> {
  return active.tally.hasHeld && (await retryDueRecords(active)) ? 'more' : 'nothing';
}

async function pollOpLog({ active, pages, pace }: Round): Promise<StepResult> {
  pace.recordPoll();
  if (!active.isFromHelium) await lookAtChangeLog(active);
  const { isLast, isChanged } = await readOpLog(active, pages);
  if (isChanged) pace.recordChange();
  // More is likely to follow a change, and held records may be due. Otherwise a webhook reports
  // what follows, and must not wait for another poll.
  const isFollowed = isChanged && (active.tally.hasHeld || !active.announced.areComplete(Date.now()));
  const isSettled = isLast && (await settleBlocked(active));
  return !isLast || isFollowed || isSettled ? 'more' : 'rest';
}
