/**
 * Runs one integration: connects to both platforms, and runs all loops until one of them must stop.
 */
import { setMaxListeners } from 'node:events';
import { explainRefusedChange } from '@portal/kit/postgres/pool';
import { Conflict, Unreachable } from '@portal/kit/problems';
import type { Slots } from '@portal/kit/slots';
import { normalizeJourneyBaseUrl } from '@portal/platforms/journey/base-url';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { isContention } from '../../helium/database-failures.ts';
import type { RunHost, RunResult, StartRun } from '../../integration/run-host.ts';
import { defaultKeptFiles, type KeptFileLimits } from '../../sync-state/conflict-files.store.ts';
import type { HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { runLookAgainLoop } from '../compare/look-again-loop.ts';
import { runCompareLoop } from '../compare/loop.ts';
import { runFilesLoop } from '../files/loop.ts';
import { askAndLearn } from '../restore/check-at-start.ts';
import { RestoreFound } from '../restore/notice/restore-found.ts';
import { HaltError } from '../state/halt-error.ts';
import { runToHeliumLoop } from '../to-helium/loop.ts';
import { runToJourneyLoop } from '../to-journey/loop.ts';
import type { ActiveRun } from './active-run.ts';
import { startEnrollmentLoops } from './enrollment-loop.ts';
import { openRun } from './open-run.ts';
import { RetryPolicy } from './pace/retry-policy.ts';
import { defaultTiming, type Timing } from './pace/timing.ts';
import { publishChanges } from './publish-changes.ts';

export interface EngineParts {
  readonly databases: HeliumDatabases;
  /** One per process. */
  readonly rateLimiter: JourneyRateLimiter;
  /** The hosts besides Journey's own that files are downloaded from. Default: none. */
  readonly fileHosts?: readonly string[];
  /** How many of the files that lose a conflict are kept. Defaults to `defaultKeptFiles`. */
  readonly keptFiles?: KeptFileLimits;
  /** Defaults to `defaultTiming`. */
  readonly timing?: Timing;
}

const maxSignalListeners = 100;

export function createStartRun({
  databases,
  rateLimiter,
  fileHosts = [],
  keptFiles = defaultKeptFiles,
  timing = defaultTiming,
}: EngineParts): StartRun {
  return async (run): Promise<RunResult> => {
    const { integration } = run;
    const stopController = new AbortController();
    const signal = AbortSignal.any([run.signal, stopController.signal]);
    // Each loop and each call under way listens to it; Node warns about more than ten.
    setMaxListeners(maxSignalListeners, signal);
    const database = databases.get(integration.environment, integration.dataSource);
    const loops: Promise<void>[] = [];
    const stopWatching: (() => void)[] = [];
    let active: ActiveRun | undefined;
    const retryNow = () => {
      active?.retries.toJourney.retryNow();
      active?.retries.toHelium.retryNow();
      active?.enrollment.wake();
    };
    const { journey } = integration.config;
    const baseUrl = normalizeJourneyBaseUrl(journey.baseUrl, journey.restAPICredentials.userName);
    // Before the run is opened, which may be what waits for Journey.
    run.onTryNow(() => {
      rateLimiter.tryNow(baseUrl);
      retryNow();
      active?.toHelium.wake();
      active?.compare.wake();
    });
    const stopListening = rateLimiter.onHostRecovered(baseUrl, retryNow);
    try {
      const publish = publishChanges(run.publish);
      const started = { ...run, signal, publish };
      active = await inTurn(database.startSlots, started, () =>
        openRun(started, database, { rateLimiter, fileHosts, keptFiles, timing }),
      );
      const { tally, announced, heliumCheck, catalogCheck } = active;
      const { toJourney, toHelium, files, compare, lookAgain, enrollment, requests } = active;
      run.onWebhook(() => {
        const nowMs = Date.now();
        announced.recordWebhook(nowMs);
        publish({ webhookReceivedMs: nowMs });
        toHelium.wake();
      });
      run.onWake(() => {
        tally.requestRecount();
        toJourney.wake();
        toHelium.wake();
        files.wake();
        compare.wake();
        lookAgain.wake();
        enrollment.wake();
      });
      const { stateId, helium } = active.context;
      stopWatching.push(
        database.silence.listen((heliumUnansweredSinceMs) => publish({ heliumUnansweredSinceMs })),
        database.watch.watch(helium.schema, () => {
          toJourney.wake();
          requests.wake();
        }),
        database.unloggedWatch.watch({ stateId, schema: helium.schema }, (change) => {
          heliumCheck.request();
          toJourney.wake();
          if (change !== 'state') catalogCheck.request();
          if (change === 'catalog') toHelium.wake();
        }),
      );
      if (active.isFromHelium) loops.push(runToJourneyLoop(active));
      loops.push(runToHeliumLoop(active), runCompareLoop(active), runLookAgainLoop(active));
      loops.push(runFilesLoop(active));
      if (integration.config.journeyToHeliumEnrollment.enabled) loops.push(...startEnrollmentLoops(active));
      else active.run.publish({ waitingEnrollment: 0 });
      // No loop ends on its own: the first that fails stops the others.
      await Promise.race(loops);
      return { outcome: 'stopped' };
    } catch (error) {
      if (!(error instanceof RestoreFound && active)) return toRunResult(error, run.signal);
      stopController.abort();
      await Promise.allSettled(loops);
      const { context, timing } = active;
      // Its own signal has just stopped the loops.
      const compared = {
        context: { ...context, signal: run.signal },
        run: { ...run, publish: active.run.publish },
        timing,
      };
      return await askAndLearn(compared, error).catch((failure: unknown) => toRunResult(failure, run.signal));
    } finally {
      stopController.abort();
      for (const stop of stopWatching) stop();
      stopListening();
      await Promise.allSettled(loops);
    }
  };
}

/** Waits for a slot, unless the run is stopped before. */
function inTurn<T>(
  slots: Slots,
  { integration, signal }: Pick<RunHost, 'integration' | 'signal'>,
  open: () => Promise<T>,
) {
  const waiting = new AbortController();
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: waiting.signal });
    slots
      .run(integration.id, () => {
        waiting.abort();
        signal.throwIfAborted();
        return open();
      })
      .then(resolve, reject);
  });
}

function toRunResult(problem: unknown, signal: AbortSignal): RunResult {
  if (signal.aborted) return { outcome: 'stopped' };
  if (problem instanceof HaltError) return { outcome: 'halted', reason: problem.message, position: problem.position };
  // Something of the app is not as Helium creates it.
  if (problem instanceof Conflict) return { outcome: 'halted', reason: problem.message, position: '' };
  const refusal = explainRefusedChange(problem);
  if (refusal !== undefined)
    throw new Unreachable(`The database accepts no changes at the moment (${refusal}).`, { cause: problem });
  // While the run was opened; the loops do their own retries.
  if (isContention(problem))
    throw new Unreachable(`Other sessions keep the run from starting: ${problem.message}.`, { cause: problem });
  if (!(problem instanceof JourneyProblem)) throw problem;
  // While the run was opened: a failure that no retry can fix halts it; anything else is an outage.
  try {
    new RetryPolicy().nextDelayMs(problem);
  } catch (error) {
    if (error instanceof HaltError) return { outcome: 'halted', reason: error.message, position: error.position };
    throw error;
  }
  throw new Unreachable(problem.message, { cause: problem });
}
