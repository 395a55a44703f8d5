/**
 * Runs one integration: opens both ends, and lets both directions work until one of them must stop.
 */
import { Unreachable } from '@portal/kit/problems';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { isReadOnly } from '../../helium/database-failures.ts';
import type { RunResult, StartRun } from '../../integration/run-host.ts';
import type { HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { runCompareLoop } from '../compare/loop.ts';
import { HaltError } from '../shared/halt-error.ts';
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
  readonly pace: JourneyPace;
  /** The usual one when left out. */
  readonly timing?: Timing;
}

export function createStartRun({ databases, pace, timing = usualTiming }: EngineParts): StartRun {
  return async (run): Promise<RunResult> => {
    const { integration } = run;
    const ending = new AbortController();
    const signal = AbortSignal.any([run.signal, ending.signal]);
    const database = databases.get(integration.environment, integration.dataSource);
    const loops: Promise<void>[] = [];
    let stopWatching: () => void = () => undefined;
    try {
      const publish = publishChanges(run.publish);
      const active = await openRun({ ...run, signal, publish }, database, { pace, timing });
      run.onWake(() => {
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
      return { outcome: 'stopped' };
    } catch (error) {
      return toRunResult(error, run.signal);
    } finally {
      ending.abort();
      stopWatching();
      await Promise.allSettled(loops);
    }
  };
}

function toRunResult(problem: unknown, signal: AbortSignal): RunResult {
  if (signal.aborted) return { outcome: 'stopped' };
  if (problem instanceof HaltError) return { outcome: 'halted', reason: problem.message, position: problem.position };
  if (isReadOnly(problem)) throw new Unreachable('The database takes no writes for now.', { cause: problem });
  if (!(problem instanceof JourneyProblem)) throw problem;
  // While the run was opened: a failure that no retry helps halts it, the rest is an outage.
  try {
    new RetryPolicy().nextDelayMs(problem);
  } catch (error) {
    if (error instanceof HaltError) return { outcome: 'halted', reason: error.message, position: error.position };
    throw error;
  }
  throw new Unreachable(problem.message, { cause: problem });
}
