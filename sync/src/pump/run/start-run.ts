/**
 * Runs one integration: opens both ends, and lets both directions work until one of them must stop.
 */
import { Unreachable } from '@portal/kit/problems';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { isReadOnly } from '../../helium/database-failures.ts';
import type { RunEnd, StartRun } from '../../integration/run.ts';
import type { HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { runCompareLoop } from '../compare/loop.ts';
import { Halt } from '../shared/halt.ts';
import { RetryPolicy } from '../shared/retry-policy.ts';
import { type Timing, usualTiming } from '../shared/timing.ts';
import { runToHeliumLoop } from '../to-helium/loop.ts';
import { runToJourneyLoop } from '../to-journey/loop.ts';
import { runEnrollmentLoop } from './enrollment-loop.ts';
import { openRun } from './open-run.ts';
import { publishChanges } from './publish-changes.ts';

export interface EngineParts {
  readonly databases: HeliumDatabases;
  /** One for the whole process. */
  readonly pace: JourneyRateLimiter;
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
      const publish = publishChanges(run.publish);
      const active = await openRun({ ...run, signal, publish }, database, { pace, timing });
      run.onNudge(() => {
        active.tally.requestRecount();
        active.toJourney.wake();
        active.toHelium.wake();
        active.compare.wake();
      });
      stopWatching = database.watch.watch(integration.config.helium.dbSchema, () => active.toJourney.wake());
      if (active.isFromHelium) loops.push(runToJourneyLoop(active));
      loops.push(runToHeliumLoop(active), runEnrollmentLoop(active), runCompareLoop(active));
      // A comparison may have been requested before this run began.
      active.compare.wake();
      // No loop ends by itself: the first that does ends the others.
      await Promise.race(loops);
      return { end: 'stopped' };
    } catch (error) {
      return toRunEnd(error, run.signal);
    } finally {
      ending.abort();
      stopWatching();
      await Promise.allSettled(loops);
    }
  };
}

function toRunEnd(problem: unknown, signal: AbortSignal): RunEnd {
  if (signal.aborted) return { end: 'stopped' };
  if (problem instanceof Halt) return { end: 'halted', reason: problem.message, position: problem.position };
  if (isReadOnly(problem)) throw new Unreachable('The database takes no writes for now.', { cause: problem });
  if (!(problem instanceof JourneyProblem)) throw problem;
  // While the run was opened: a failure that no retry helps halts it, the rest is an outage.
  try {
    new RetryPolicy().failed(problem);
  } catch (error) {
    if (error instanceof Halt) return { end: 'halted', reason: error.message, position: error.position };
    throw error;
  }
  throw new Unreachable(problem.message, { cause: problem });
}
