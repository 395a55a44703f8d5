/** Runs Journey → Helium as long as the integration runs. */
import { DataModelChanged } from '../../journey/stale-mapping.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { OpLogPages } from './op-log-pages.ts';
import { PollPace } from './poll-pace.ts';
import { runRound } from './steps.ts';

export async function runToHeliumLoop(active: ActiveRun): Promise<void> {
  const { signal } = active.run;
  const { toHelium: retryPolicy, toJourney: otherDirection } = active.retries;
  const rateLimiter = new PollPace(active);
  const pages = new OpLogPages(active);
  while (!signal.aborted) {
    try {
      const hasMore = await runRound({ active, pages, rateLimiter });
      retryPolicy.recordSuccess(otherDirection);
      if (hasMore) rateLimiter.recordChange();
      else await rateLimiter.waitForNextPoll();
    } catch (error) {
      if (signal.aborted) return;
      // During a full read, nothing else notices the new model.
      if (error instanceof DataModelChanged) await active.mapping.followModel(error.hash);
      const waitMs = retryPolicy.nextDelayMs(error);
      reportFailure(active, error, waitMs);
      await retryPolicy.wait(waitMs, signal);
    }
  }
}

function reportFailure({ run, retries }: ActiveRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  if (retries.toHelium.isLogged)
    run.log('WARNING', `Journey → Helium: ${message} Retrying in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ journeySyncStatus: `Waiting: ${message}` });
}
