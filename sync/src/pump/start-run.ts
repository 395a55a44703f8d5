/** Runs one integration: opens both ends, takes it in its state, and lets both directions work until one must stop. */
import { Unreachable } from '@portal/kit/problems';
import { createJourneyClient } from '@portal/platforms/journey/client';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { findNumbersProblem } from '../helium/change-numbers.ts';
import { openHeliumEnd } from '../helium/open-helium-end.ts';
import type { Run, RunEnd, StartRun } from '../integrations/run.ts';
import { openJourneyEnd } from '../journey/open-journey-end.ts';
import { openKnownAttachments } from '../state/attachment-store.ts';
import { hasUnanswered, lastAcknowledged } from '../state/intent-store.ts';
import { takeRun } from '../state/run-store.ts';
import { Alarm } from './alarm.ts';
import { runAudits } from './audit-loop.ts';
import { tellHolder } from './change-pages.ts';
import { isReadOnly } from './database-trouble.ts';
import { runEnrollments } from './enrollment-loop.ts';
import type { HeliumDatabase, HeliumDatabases } from './helium-databases.ts';
import type { IntegrationRun } from './integration-run.ts';
import { MappingKeeper } from './mapping-keeper.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { onlyNews } from './only-news.ts';
import { pacedClient } from './paced-client.ts';
import { Patience } from './patience.ts';
import { planReading } from './plan-reading.ts';
import { Halt, type Pump } from './pump.ts';
import { stateKeyOf } from './state-key.ts';
import { type Timing, usualTiming } from './timing.ts';
import { runToHelium } from './to-helium-loop.ts';
import { runToJourney } from './to-journey-loop.ts';

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
      const on = await begin({ ...run, signal, publish: onlyNews(run.publish) }, database, { pace, timing });
      run.onNudge(() => {
        on.countsMayDiffer = true;
        on.toJourney.ring();
        on.toHelium.ring();
        on.audit.ring();
      });
      stopWatching = database.watch.watch(integration.config.helium.dbSchema, () => on.toJourney.ring());
      if (on.isFromHelium) loops.push(runToJourney(on));
      loops.push(runToHelium(on), runEnrollments(on), runAudits(on));
      // A wish from before this run began.
      on.audit.ring();
      // None ends by itself: the first that does takes the others along.
      await Promise.race(loops);
      return { end: 'stopped' };
    } catch (problem) {
      return endOf(problem, run.signal);
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
    new Patience().failed(problem);
  } catch (verdict) {
    if (verdict instanceof Halt) return { end: 'halted', reason: verdict.message, position: verdict.position };
    throw verdict;
  }
  throw new Unreachable(problem.message, { cause: problem });
}

async function begin(
  run: Run,
  database: HeliumDatabase,
  { pace, timing }: Required<Pick<EngineParts, 'pace' | 'timing'>>,
): Promise<IntegrationRun> {
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
  const keeper = new MappingKeeper({ run, helium, journey, pool, no, lookEveryMs: timing.lookEveryMs });
  const isNew = row.mapping === null;
  const { mapping, fresh } = await keeper.open(row);
  const pump: Pump = {
    run: no,
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
  const on: IntegrationRun = {
    run,
    client: pacedClient(client, pace),
    timing,
    takeQuietTurn: () => pace.takeQuietTurn(client.baseUrl),
    planning: oneAtATime(),
    waitingSinceMs: null,
    pump,
    at: isNew || fresh.length > 0 ? await planReading(pump, config, row, isNew ? null : fresh, tellHolder(run)) : row,
    toJourney: new Alarm(),
    toHelium: new Alarm(),
    audit: new Alarm(),
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
      await on.planning(async () => {
        const pump = { ...on.pump, mapping: next.mapping };
        const { toHelium, toJourney } =
          next.fresh.length > 0 ? await planReading(pump, config, on.at, next.fresh, tellHolder(run)) : on.at;
        on.pump = pump;
        on.at = { ...on.at, toHelium, toJourney };
      });
      await keeper.remember();
      on.toJourney.ring();
    },
  };
  await keeper.remember();
  const { changeLogCursor, opLogCursor } = on.at;
  run.log(
    'INFO',
    `Running: ${mapping.objects.length} objects, change log at ${changeLogCursor}, op-log at ${opLogCursor}.`,
  );
  if (!on.isFromHelium) run.publish({ heliumSyncStatus: 'Off' });
  if (!on.isFromJourney) run.publish({ journeySyncStatus: 'Off' });
  return on;
}
