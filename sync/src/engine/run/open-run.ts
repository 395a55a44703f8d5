/**
 * Opens the run of one integration: verifies both sides, and continues from the state the previous
 * run left.
 */
import { createPacedClient } from '../../enrollment/paced-client.ts';
import type { RunHost } from '../../integration/run-host.ts';
import { getStateKey } from '../../integration/state-key.ts';
import type { UnknownColumn } from '../../mapping/compare-mappings.ts';
import type { HeliumDatabase } from '../../sync-state/helium-databases.ts';
import { lastAcknowledged } from '../../sync-state/intents.store.ts';
import { readRun } from '../../sync-state/runs.store.ts';
import { forgetColumns } from '../../sync-state/unknown-columns.store.ts';
import { applyAnswer } from '../restore/answer.ts';
import { askAndLearn, saveIdentity, verifyAtStart } from '../restore/check-at-start.ts';
import { verifyHelium } from '../restore/notice/check-helium.ts';
import { RestoreFound } from '../restore/notice/restore-found.ts';
import { type SyncContext, withLockedState } from '../state/context.ts';
import { CurrentMapping } from '../state/current-mapping.ts';
import { DueCheck } from '../state/due-check.ts';
import { PendingEchoes } from '../state/echoes.ts';
import { HaltError } from '../state/halt-error.ts';
import { LookUpQueue } from '../state/look-ups.ts';
import { Progress } from '../state/progress.ts';
import { RefreshQueue } from '../state/refresh-queue.ts';
import { Tally } from '../state/tally.ts';
import { rememberDeployment } from '../to-helium/reader/notice-deployment.ts';
import type { ActiveRun } from './active-run.ts';
import { type OpenedContext, openContext, type RunOptions } from './open-context.ts';
import { AnnouncedChanges } from './pace/announced-changes.ts';
import { RetryPolicy } from './pace/retry-policy.ts';
import type { Timing } from './pace/timing.ts';
import { WakeSignal } from './pace/wake-signal.ts';
import { planFullRead, planToReadAgain } from './plan-full-read.ts';
import { reportLockHolder } from './report/report-lock-holder.ts';

export async function openRun(run: RunHost, database: HeliumDatabase, options: RunOptions): Promise<ActiveRun> {
  const { rateLimiter, timing } = options;
  const { config } = run.integration;
  publishStart(run);
  const catalogCheck = new DueCheck();
  const opened = await openContext(run, database, options, catalogCheck);
  const { context, client, follower } = opened;
  const { journey, stateId } = context;
  const onHeld = reportLockHolder(run);
  const progress = await openProgress({ run, timing, onHeld }, opened);
  const echoes = new PendingEchoes({
    acknowledged: await lastAcknowledged(context.helium.pool, stateId),
    answeredAtMs: journey.nowMs(),
    // Calls may be unanswered, and a restored state does not know what was sent after its backup.
    mustReadFirst: config.enableJourneyToHelium,
  });
  const toJourney = new WakeSignal();
  const toHelium = new WakeSignal();
  const saveMapping = async () => {
    await follower.save();
    await saveIdentity(mapping.context, 'new');
  };
  const mapping: CurrentMapping = new CurrentMapping({
    context,
    progress,
    follow: (modelHash) => follower.follow(modelHash),
    planFullRead: async (changed, position, { newTables: tables, unknown }) => {
      await verifyHelium(changed);
      await forgetUnknown(changed, unknown);
      return planFullRead(changed, config, position, tables, onHeld);
    },
    save: saveMapping,
    onChange: () => toJourney.wake(),
  });
  await saveMapping();
  if (config.enableJourneyToHelium) await rememberDeployment(context);
  publishOpened(run, context, progress);
  return {
    run,
    client: createPacedClient(client, rateLimiter),
    timing,
    reserveIdlePoll: () => rateLimiter.reserveIdlePoll(client.baseUrl),
    isFromHelium: config.enableHeliumToJourney,
    isFromJourney: config.enableJourneyToHelium,
    mapping,
    catalogCheck,
    get context() {
      return mapping.context;
    },
    readAgain: async (direction, opLogPoint = null) => {
      await mapping.runSerialized(async () =>
        progress.planFullReads(
          await planToReadAgain(mapping.context, direction, progress.position, { onHeld, opLogPoint }),
        ),
      );
      toJourney.wake();
      toHelium.wake();
    },
    progress,
    echoes,
    tally: new Tally(),
    announced: new AnnouncedChanges(),
    refreshQueue: new RefreshQueue(),
    lookUps: new LookUpQueue(),
    heliumCheck: new DueCheck(),
    retries: {
      toJourney: new RetryPolicy(timing.retry, () => toJourney.wake()),
      toHelium: new RetryPolicy(timing.retry),
    },
    toJourney,
    toHelium,
    files: new WakeSignal(),
    compare: new WakeSignal(),
    lookAgain: new WakeSignal(),
    enrollment: new WakeSignal(),
    requests: new WakeSignal(),
  };
}

interface Opening {
  readonly run: RunHost;
  readonly timing: Timing;
  readonly onHeld: ReturnType<typeof reportLockHolder>;
}

/**
 * Applies the operator's answer, verifies both sides, and plans the full reads. Returns where the
 * run continues.
 */
async function openProgress(
  { run, timing, onHeld }: Opening,
  { context, newTables, unknown, answered }: OpenedContext,
): Promise<Progress> {
  if (answered) await applyAnswer(context, answered, onHeld);
  // The answer may have planned full reads.
  const row = await readRun(context.helium.pool, context.stateId, run.fence);
  const isNew = row.mapping === null;
  const isRequested = row.toHelium?.isRequested || row.toJourney?.isRequested;
  const readsInFull = isNew || newTables.length > 0 || row.toHelium !== null || row.toJourney !== null;
  await verifyOrAsk(context, run, { row, readsInFull, isAnswered: answered !== null }, timing);
  const progress = new Progress(row);
  await forgetUnknown(context, unknown);
  if (isNew || isRequested || newTables.length > 0)
    progress.planFullReads(await planFullRead(context, run.integration.config, row, isNew ? null : newTables, onHeld));
  return progress;
}

/** Runs before the tables are read with their new mapping: what is known must not decide then. */
async function forgetUnknown(context: SyncContext, unknown: readonly UnknownColumn[]): Promise<void> {
  if (unknown.length > 0) await withLockedState(context, (db) => forgetColumns(db, context.stateId, unknown));
}

function publishOpened(run: RunHost, { mapping }: SyncContext, { changeLogCursor, opLogCursor }: Progress): void {
  const { config } = run.integration;
  run.publish({ stateKey: getStateKey(run.integration), changeLogVersion: changeLogCursor });
  run.log(
    'INFO',
    `Running: ${mapping.objects.length} objects, change log at ${changeLogCursor}, op-log at ${opLogCursor}.`,
  );
  if (!config.enableHeliumToJourney) run.publish({ heliumSyncStatus: 'Off' });
  if (!config.enableJourneyToHelium) run.publish({ journeySyncStatus: 'Off' });
}

function publishStart(run: RunHost): void {
  run.publish({
    heliumSyncStatus: 'Starting',
    journeySyncStatus: 'Starting',
    unansweredSinceMs: null,
    heliumUnansweredSinceMs: null,
    changeLogBacklog: null,
    oplogBacklog: null,
    syncedToJourney: 0,
    syncedToHelium: 0,
  });
}

/** Asks an operator, and halts, when a side was restored from a backup. */
async function verifyOrAsk(
  context: SyncContext,
  run: RunHost,
  start: Omit<Parameters<typeof verifyAtStart>[1], 'run'>,
  timing: Timing,
): Promise<void> {
  try {
    await verifyAtStart(context, { run, ...start });
  } catch (error) {
    if (!(error instanceof RestoreFound)) throw error;
    const { reason, position } = await askAndLearn({ context, run, timing }, error);
    throw new HaltError(reason, position);
  }
}
