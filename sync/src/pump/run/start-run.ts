/** Runs one integration: opens both ends, takes it in its state, and lets both directions work until one must stop. */
import { Unreachable } from '@portal/kit/problems';
import { createJourneyClient } from '@portal/platforms/journey/client';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { pacedClient } from '../../enrollment/paced-client.ts';
import { findNumbersProblem } from '../../helium/change-numbers.ts';
import { isReadOnly } from '../../helium/database-failures.ts';
import { openHeliumEnd } from '../../helium/open-helium-end.ts';
import type { Run, RunEnd, StartRun } from '../../integration/run.ts';
import { stateKeyOf } from '../../integration/state-key.ts';
import { openJourneyEnd } from '../../journey/open-journey-end.ts';
import { openKnownAttachments } from '../../sync-state/attachments.store.ts';
import type { HeliumDatabase, HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { hasUnanswered, lastAcknowledged } from '../../sync-state/intents.store.ts';
import { takeRun } from '../../sync-state/runs.store.ts';
import { runCompareLoop } from '../compare/loop.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { Halt } from '../shared/halt.ts';
import { reportLockHolder } from '../shared/report-lock-holder.ts';
import { RetryPolicy } from '../shared/retry-policy.ts';
import { createSerialQueue } from '../shared/serial-queue.ts';
import type { SyncContext } from '../shared/sync-context.ts';
import { type Timing, usualTiming } from '../shared/timing.ts';
import { WakeSignal } from '../shared/wake-signal.ts';
import { runToHeliumLoop } from '../to-helium/loop.ts';
import { runToJourneyLoop } from '../to-journey/loop.ts';
import { runEnrollmentLoop } from './enrollment-loop.ts';
import { MappingFollower } from './mapping-follower.ts';
import { planFullRead } from './plan-full-read.ts';
import { publishChanges } from './publish-changes.ts';

export interface EngineParts {
  readonly databases: HeliumDatabases;
  /** One for the whole process. */
  readonly pace: JourneyPace;
  /** The usual one when left out. */
  readonly timing?: Timing;
}

export function createStartRun({ databases, pace, timing = usualTiming }: EngineParts): StartRun {
  return async (run): Promise<RunEnd> => {
    const { integration } = run;
    const ending = new AbortController();
    const signal = AbortSignal.any([run.signal, ending.signal]);
    const database = databases.of(integration.environment, integration.dataSource);
    const loops: Promise<void>[] = [];
    let stopWatching: () => void = () => undefined;
    try {
      const active = await begin({ ...run, signal, publish: publishChanges(run.publish) }, database, { pace, timing });
      run.onNudge(() => {
        active.countsMayDiffer = true;
        active.toJourney.wake();
        active.toHelium.wake();
        active.audit.wake();
      });
      stopWatching = database.watch.watch(integration.config.helium.dbSchema, () => active.toJourney.wake());
      if (active.isFromHelium) loops.push(runToJourneyLoop(active));
      loops.push(runToHeliumLoop(active), runEnrollmentLoop(active), runCompareLoop(active));
      // A wish from before this run began.
      active.audit.wake();
      // None ends by itself: the first that does takes the others along.
      await Promise.race(loops);
      return { end: 'stopped' };
    } catch (error) {
      return endOf(error, run.signal);
    } finally {
      ending.abort();
      stopWatching();
      await Promise.allSettled(loops);
    }
  };
}

function endOf(problem: unknown, signal: AbortSignal): RunEnd {
  if (signal.aborted) return { end: 'stopped' };
  if (problem instanceof Halt) return { end: 'halted', reason: problem.message, position: problem.position };
  if (isReadOnly(problem)) throw new Unreachable('The database takes no writes for now.', { cause: problem });
  if (!(problem instanceof JourneyProblem)) throw problem;
  // While it began: what is no use trying again halts, the rest is an outage.
  try {
    new RetryPolicy().failed(problem);
  } catch (error) {
    if (error instanceof Halt) return { end: 'halted', reason: error.message, position: error.position };
    throw error;
  }
  throw new Unreachable(problem.message, { cause: problem });
}

async function begin(
  run: Run,
  database: HeliumDatabase,
  { pace, timing }: Required<Pick<EngineParts, 'pace' | 'timing'>>,
): Promise<ActiveRun> {
  const { pool } = database;
  const { config } = run.integration;
  run.publish({
    heliumSyncStatus: 'Starting',
    journeySyncStatus: 'Starting',
    carriedToJourney: 0,
    carriedToHelium: 0,
  });
  const problem = config.enableHeliumToJourney ? await findNumbersProblem(pool, config.helium.dbSchema) : null;
  if (problem !== null) throw new Halt(problem);
  await database.prepare();
  const { no, ...row } = await takeRun(pool, stateKeyOf(run.integration), run.fence, {
    changeLog: config.heliumToJourney.changeLogMinVersionAsString,
    opLog: config.journeyToHelium.oplogMinVersionAsString,
  });
  const { baseUrl, restAPICredentials } = config.journey;
  const client = createJourneyClient({
    baseUrl,
    userName: restAPICredentials.userName,
    password: run.journeyPassword,
    timeoutMs: timing.callTimeoutMs,
  });
  const helium = openHeliumEnd({ pool, schema: config.helium.dbSchema });
  const journey = openJourneyEnd({ client, pace, knownAttachments: openKnownAttachments(pool, no) });
  const keeper = new MappingFollower({ run, helium, journey, pool, no, lookEveryMs: timing.lookEveryMs });
  const isNew = row.mapping === null;
  const { mapping, fresh } = await keeper.open(row);
  const context: SyncContext = {
    stateId: no,
    fence: run.fence,
    helium,
    journey,
    mapping,
    policy: config.conflictPolicy ?? 'later',
    isTwoWay: config.enableJourneyToHelium,
    signal: run.signal,
    checkLease: run.checkLease,
    log: run.log,
  };
  const active: ActiveRun = {
    run,
    client: pacedClient(client, pace),
    timing,
    takeQuietTurn: () => pace.takeQuietTurn(client.baseUrl),
    planning: createSerialQueue(),
    waitingSinceMs: null,
    context,
    at:
      isNew || fresh.length > 0
        ? await planFullRead(context, config, row, isNew ? null : fresh, reportLockHolder(run))
        : row,
    toJourney: new WakeSignal(),
    toHelium: new WakeSignal(),
    audit: new WakeSignal(),
    acknowledged: await lastAcknowledged(pool, no),
    hasUnsettled: true,
    settling: null,
    mustReadFirst: config.enableJourneyToHelium && (await hasUnanswered(pool, no)),
    hasListings: true,
    carriedToJourney: 0,
    carriedToHelium: 0,
    countsMayDiffer: true,
    hasHeld: true,
    toLookAt: [],
    isFromHelium: config.enableHeliumToJourney,
    isFromJourney: config.enableJourneyToHelium,
    async followModel(hash) {
      const next = await keeper.follow(hash);
      if (!next) return;
      // Both at once: what is to be read whole must not be written over before.
      await active.planning(async () => {
        const context = { ...active.context, mapping: next.mapping };
        const { toHelium, toJourney } =
          next.fresh.length > 0
            ? await planFullRead(context, config, active.at, next.fresh, reportLockHolder(run))
            : active.at;
        active.context = context;
        active.at = { ...active.at, toHelium, toJourney };
      });
      await keeper.remember();
      active.toJourney.wake();
    },
  };
  await keeper.remember();
  const { changeLogCursor, opLogCursor } = active.at;
  run.log(
    'INFO',
    `Running: ${mapping.objects.length} objects, change log at ${changeLogCursor}, op-log at ${opLogCursor}.`,
  );
  if (!active.isFromHelium) run.publish({ heliumSyncStatus: 'Off' });
  if (!active.isFromJourney) run.publish({ journeySyncStatus: 'Off' });
  return active;
}
