/** Runs Journey → Helium as long as the integration runs. */
import { DataModelChanged } from '../../journey/stale-mapping.ts';
import { settleRewritten } from '../missing/rewritten-tables.ts';
import { ColumnsAdded, TablesRewritten } from '../restore/notice/check-helium.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { reportFailure } from '../run/report/report-failure.ts';
import { OpLogPages } from './reader/op-log-pages.ts';
import { PollPace } from './reader/poll-pace.ts';
import { runRound } from './steps.ts';

export async function runToHeliumLoop(active: ActiveRun): Promise<void> {
  const { signal } = active.run;
  const { toHelium: retryPolicy, toJourney: otherDirection } = active.retries;
  const pace = new PollPace(active);
  const pages = new OpLogPages(active);
  let rewritten: TablesRewritten | null = null;
  let isOutdated = false;
  while (!signal.aborted) {
    try {
      if (rewritten) await settleRewritten(active, rewritten);
      rewritten = null;
      if (isOutdated) await active.mapping.followModel();
      isOutdated = false;
      const hasMore = await runRound({ active, pages, pace });
      retryPolicy.recordSuccess(otherDirection);
      if (hasMore) pace.recordChange();
      else await pace.waitForNextPoll();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TablesRewritten) {
        rewritten = error;
        continue;
      }
      if (error instanceof ColumnsAdded) {
        active.catalogCheck.request();
        isOutdated = true;
        continue;
      }
      // During a full read, nothing else notices the new model.
      if (error instanceof DataModelChanged) await active.mapping.followModel(error.hash);
      const waitMs = retryPolicy.nextDelayMs(error);
      await reportFailure(active, 'toHelium', error, waitMs);
      await retryPolicy.wait(waitMs, signal);
    }
  }
}
