/**
 * Claims the state of an integration, connects to both platforms, and builds the mapping of their
 * data models.
 */
import { defaultMaxDeletedPercent } from '@portal/contract/sync/config';
import type { Pool } from '@portal/kit/postgres/pool';
import { untilAborted } from '@portal/kit/until-aborted';
import { sendRequest } from '@portal/platforms/journey/call';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { findSequenceProblem } from '../../helium/find-sequence-problem.ts';
import type { HeliumGateway } from '../../helium/helium-gateway.ts';
import { openHeliumGateway } from '../../helium/open-helium-gateway.ts';
import type { RunHost } from '../../integration/run-host.ts';
import { getStateOfApp, type StateOfApp } from '../../integration/state-key.ts';
import { createJourneyClock } from '../../journey/journey-clock.ts';
import { openJourneyGateway } from '../../journey/open-journey-gateway.ts';
import { watchUnanswered } from '../../journey/watch-unanswered.ts';
import type { UnknownColumn } from '../../mapping/compare-mappings.ts';
import { openKnownAttachments } from '../../sync-state/attachments.store.ts';
import type { KeptFileLimits } from '../../sync-state/conflict-files.store.ts';
import type { HeliumDatabase } from '../../sync-state/helium-databases.ts';
import { parseQuestion, type StoredQuestion } from '../../sync-state/questions.store.ts';
import { findInJourney } from '../../sync-state/records.store.ts';
import { claimRun, endPredecessors, saveConfigVersion } from '../../sync-state/runs.store.ts';
import { CallFailures } from '../state/call-failures.ts';
import type { SyncContext } from '../state/context.ts';
import type { DueCheck } from '../state/due-check.ts';
import { HaltError } from '../state/halt-error.ts';
import { StateLock } from '../state/lock.ts';
import { RefusedWrites } from '../state/refused-writes.ts';
import { StateRevision } from '../state/revision.ts';
import { MappingFollower } from './mapping-follower.ts';
import type { Timing } from './pace/timing.ts';

export interface RunOptions {
  readonly rateLimiter: JourneyRateLimiter;
  readonly fileHosts: readonly string[];
  readonly keptFiles: KeptFileLimits;
  readonly timing: Timing;
}

export interface OpenedContext {
  readonly context: SyncContext;
  readonly client: JourneyClient;
  readonly follower: MappingFollower;
  /** Tables that are synced for the first time. */
  readonly newTables: readonly string[];
  /** Columns to forget before these tables are read. */
  readonly unknown: readonly UnknownColumn[];
  readonly answered: ReturnType<typeof getAnswer>;
}

export async function openContext(
  run: RunHost,
  database: HeliumDatabase,
  options: RunOptions,
  catalogCheck: DueCheck,
): Promise<OpenedContext> {
  const state = getStateOfApp(run.integration);
  const { config } = run.integration;
  const problem = config.enableHeliumToJourney ? await findSequenceProblem(database.reading, state.schema) : null;
  if (problem !== null) throw new HaltError(problem);
  await database.prepare(state);
  const pool = database.asApp(state.schema);
  const { stateId, ...claimed } = await claim({ pool, reading: database.reading }, state, run.fence);
  await checkConfigVersion(run, pool, stateId, claimed.configVersion);
  const answered = getAnswer(claimed);
  const { client, helium, journey } = connect(run, { ...options, pool, reading: database.reading }, stateId);
  const follower = new MappingFollower({ run, helium, journey, pool, stateId, catalogCheck });
  const { mapping, newTables, unknown } = await untilAborted(run.signal, follower.open(claimed));
  const context: SyncContext = {
    stateId,
    fence: run.fence,
    stateLock: new StateLock(),
    revision: new StateRevision(claimed.revision),
    helium,
    journey,
    mapping,
    policy: config.conflictPolicy ?? 'later',
    maxDeletedPercent: config.maxDeletedPercent ?? defaultMaxDeletedPercent,
    isTwoWay: config.enableJourneyToHelium,
    fileBackoff: options.timing.files.retry,
    callFailures: new CallFailures(),
    refusedWrites: new RefusedWrites(),
    keptFiles: options.keptFiles,
    signal: run.signal,
    checkLease: run.assertLease,
    log: run.log,
  };
  return { context, client, follower, newTables, unknown, answered };
}

/** Creates the gateways to both platforms; the first call is made later. */
function connect(
  run: RunHost,
  { pool, reading, rateLimiter, fileHosts, timing }: RunOptions & Pick<HeliumGateway, 'pool' | 'reading'>,
  stateId: number,
) {
  const { config } = run.integration;
  const { baseUrl, restAPICredentials } = config.journey;
  const clock = createJourneyClock();
  const client = createJourneyClient({
    baseUrl,
    userName: restAPICredentials.userName,
    password: run.journeyPassword,
    timeoutMs: timing.callTimeoutMs,
    silence: timing.silence,
    fileHosts,
    onCall: watchUnanswered(timing.slowCallMs, (unansweredSinceMs) => run.publish({ unansweredSinceMs })),
    request: clock.watch(sendRequest),
  });
  const knownAttachments = openKnownAttachments(pool, stateId);
  return {
    client,
    helium: openHeliumGateway({ pool, reading, schema: config.helium.dbSchema }),
    journey: openJourneyGateway({
      client,
      rateLimiter,
      knownAttachments,
      findKnown: (keys) => findInJourney(pool, stateId, keys),
      warn: (text) => run.log('WARNING', text),
      clock,
    }),
  };
}

async function claim(
  pools: Pick<HeliumGateway, 'pool' | 'reading'>,
  { stateKey, from }: StateOfApp,
  fence: string,
): ReturnType<typeof claimRun> {
  await endPredecessors(pools, stateKey, fence);
  return claimRun(pools.pool, stateKey, fence, from);
}

/** Returns the last question with its answer, null when none was asked. Halts while it is open. */
function getAnswer(claimed: StoredQuestion) {
  const asked = parseQuestion(claimed);
  if (asked === null) return null;
  const { question, answer } = asked;
  if (answer === null) throw new HaltError(question.reason);
  return { question, answer };
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
