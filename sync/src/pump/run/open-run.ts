/**
 * Opens the connections of one integration to both platforms, and continues from the state the
 * previous run left.
 */

import { defaultMaxDeletedPercent } from '@portal/contract/sync-config';
import type { Pool } from '@portal/kit/postgres/pool';
import { untilAborted } from '@portal/kit/until-aborted';
import { sendRequest } from '@portal/platforms/journey/call';
import { createJourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { createPacedClient } from '../../enrollment/paced-client.ts';
import { findSequenceProblem } from '../../helium/find-sequence-problem.ts';
import { openHeliumGateway } from '../../helium/open-helium-gateway.ts';
import type { RunHost } from '../../integration/run-host.ts';
import { getStateKey } from '../../integration/state-key.ts';
import { createJourneyClock } from '../../journey/journey-clock.ts';
import { openJourneyGateway } from '../../journey/open-journey-gateway.ts';
import { watchUnanswered } from '../../journey/watch-unanswered.ts';
import { openKnownAttachments } from '../../sync-state/attachments.store.ts';
import type { KeptFileLimits } from '../../sync-state/conflict-files.store.ts';
import type { HeliumDatabase } from '../../sync-state/helium-databases.ts';
import { lastAcknowledged } from '../../sync-state/intents.store.ts';
import { readQuestion } from '../../sync-state/questions.store.ts';
import { claimRun, endPredecessors, readRun, saveConfigVersion } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../context/active-run.ts';
import { CurrentMapping } from '../context/current-mapping.ts';
import { HaltError } from '../context/halt-error.ts';
import { RetryPolicy } from '../context/retry-policy.ts';
import type { SyncContext } from '../context/sync-context.ts';
import type { Timing } from '../context/timing.ts';
import { AnnouncedChanges } from '../owners/announced-changes.ts';
import { LookUpQueue } from '../owners/look-up-queue.ts';
import { PendingEchoes } from '../owners/pending-echoes.ts';
import { Progress } from '../owners/progress.ts';
import { RefreshQueue } from '../owners/refresh-queue.ts';
import { StateLock } from '../owners/state-lock.ts';
import { StateRevision } from '../owners/state-revision.ts';
import { Tally } from '../owners/tally.ts';
import { UploadFailures } from '../owners/upload-failures.ts';
import { WakeSignal } from '../owners/wake-signal.ts';
import { applyAnswer } from '../recovery/apply-answer.ts';
import { reportLockHolder } from '../shared/report-lock-holder.ts';
import { RestoreFound } from '../verify/restore-found.ts';
import { verifyHelium } from '../verify/verify-helium.ts';
import { MappingFollower } from './mapping-follower.ts';
import { planFullRead, planToReadAgain } from './plan-full-read.ts';
import { askAndLearn, saveIdentity, verifyAtStart } from './verify-at-start.ts';

interface RunOptions {
  readonly rateLimiter: JourneyRateLimiter;
  readonly fileHosts: readonly string[];
  readonly keptFiles: KeptFileLimits;
  readonly timing: Timing;
}

export async function openRun(run: RunHost, database: HeliumDatabase, options: RunOptions): Promise<ActiveRun> {
  const { rateLimiter, keptFiles, timing } = options;
  const { pool } = database;
  const { config } = run.integration;
  publishStart(run);
  const problem = config.enableHeliumToJourney ? await findSequenceProblem(pool, config.helium.dbSchema) : null;
  if (problem !== null) throw new HaltError(problem);
  await database.prepare();
  const { stateId, ...claimed } = await claim(pool, run);
  await checkConfigVersion(run, pool, stateId, claimed.configVersion);
  const answered = await readAnswer(pool, stateId);
  const { client, helium, journey } = connect(run, pool, stateId, options);
  const follower = new MappingFollower({ run, helium, journey, pool, stateId, catalogCheckMs: timing.catalogCheckMs });
  const opened = database.startSlots.run(run.integration.id, async () => {
    run.signal.throwIfAborted();
    return follower.open(claimed);
  });
  const { mapping: firstMapping, newTables } = await untilAborted(run.signal, opened);
  const context: SyncContext = {
    stateId,
    fence: run.fence,
    stateLock: new StateLock(),
    revision: new StateRevision(claimed.revision),
    helium,
    journey,
    mapping: firstMapping,
    policy: config.conflictPolicy ?? 'later',
    maxDeletedPercent: config.maxDeletedPercent ?? defaultMaxDeletedPercent,
    isTwoWay: config.enableJourneyToHelium,
    fileBackoff: timing.files.retry,
    uploads: new UploadFailures(),
    keptFiles,
    signal: run.signal,
    checkLease: run.assertLease,
    log: run.log,
  };
  const onHeld = reportLockHolder(run);
  if (answered) await applyAnswer(context, answered, onHeld);
  // The answer may have planned full reads.
  const row = await readRun(pool, stateId, run.fence);
  const isNew = row.mapping === null;
  const isRequested = row.toHelium?.isRequested || row.toJourney?.isRequested;
  const readsInFull = isNew || newTables.length > 0 || row.toHelium !== null || row.toJourney !== null;
  await verifyOrAsk(context, run, { row, readsInFull, isAnswered: answered !== null }, timing);
  const progress = new Progress(row);
  if (isNew || isRequested || newTables.length > 0)
    progress.planFullReads(await planFullRead(context, config, row, isNew ? null : newTables, onHeld));
  const echoes = new PendingEchoes({
    acknowledged: await lastAcknowledged(pool, stateId),
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
    planFullRead: async (changed, position, tables) => {
      await verifyHelium(changed);
      return planFullRead(changed, config, position, tables, onHeld);
    },
    save: saveMapping,
    onChange: () => toJourney.wake(),
  });
  await saveMapping();
  run.publish({ stateKey: getStateKey(run.integration), changeLogVersion: progress.changeLogCursor });
  run.log(
    'INFO',
    `Running: ${firstMapping.objects.length} objects, change log at ${progress.changeLogCursor}, op-log at ${progress.opLogCursor}.`,
  );
  if (!config.enableHeliumToJourney) run.publish({ heliumSyncStatus: 'Off' });
  if (!config.enableJourneyToHelium) run.publish({ journeySyncStatus: 'Off' });
  return {
    run,
    client: createPacedClient(client, rateLimiter),
    timing,
    reserveIdlePoll: () => rateLimiter.reserveIdlePoll(client.baseUrl),
    isFromHelium: config.enableHeliumToJourney,
    isFromJourney: config.enableJourneyToHelium,
    mapping,
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

function publishStart(run: RunHost): void {
  run.publish({
    heliumSyncStatus: 'Starting',
    journeySyncStatus: 'Starting',
    unansweredSinceMs: null,
    changeLogBacklog: null,
    oplogBacklog: null,
    syncedToJourney: 0,
    syncedToHelium: 0,
  });
}

/** Creates the gateways to both platforms; the first call is made later. */
function connect(run: RunHost, pool: Pool, stateId: number, { rateLimiter, fileHosts, timing }: RunOptions) {
  const { config } = run.integration;
  const { baseUrl, restAPICredentials } = config.journey;
  const clock = createJourneyClock();
  const client = createJourneyClient({
    baseUrl,
    userName: restAPICredentials.userName,
    password: run.journeyPassword,
    timeoutMs: timing.callTimeoutMs,
    fileHosts,
    onCall: watchUnanswered(timing.slowCallMs, (unansweredSinceMs) => run.publish({ unansweredSinceMs })),
    request: clock.watch(sendRequest),
  });
  const knownAttachments = openKnownAttachments(pool, stateId);
  return {
    client,
    helium: openHeliumGateway({ pool, schema: config.helium.dbSchema }),
    journey: openJourneyGateway({ client, rateLimiter, knownAttachments, clock }),
  };
}

async function claim(pool: Pool, { integration, fence }: RunHost): ReturnType<typeof claimRun> {
  const stateKey = getStateKey(integration);
  const { heliumToJourney, journeyToHelium } = integration.config;
  await endPredecessors(pool, stateKey, fence);
  return claimRun(pool, stateKey, fence, {
    changeLog: heliumToJourney.changeLogMinVersionAsString,
    opLog: journeyToHelium.oplogMinVersionAsString,
  });
}

/** Returns the last question with its answer, null when none was asked. Halts while it is open. */
async function readAnswer(pool: Pool, stateId: number) {
  const asked = await readQuestion(pool, stateId);
  if (asked === null) return null;
  const { question, answer } = asked;
  if (answer === null) throw new HaltError(question.reason);
  return { question, answer };
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

/**
 * Halts an integration that ran with a later configuration than the portal's database has: an older
 * backup of that database must not bring it back to life unseen. Enabling it again accepts that.
 */
async function checkConfigVersion(
  { integration, fence }: RunHost,
  pool: Pool,
  stateId: number,
  lastVersion: number | null,
): Promise<void> {
  const { configVersion } = integration;
  if (lastVersion === null || lastVersion <= configVersion) return;
  await saveConfigVersion(pool, stateId, fence, configVersion);
  throw new HaltError(
    `The portal's database was restored from an older backup: it has version ${configVersion} of this integration's configuration, but version ${lastVersion} was already running. The integration may have been changed, disabled or deleted since that backup. Check its configuration, then enable it again, or disable or delete it.`,
  );
}
