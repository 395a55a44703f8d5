/** Runs Journey → Helium as long as the integration runs. */
import { DataModelChanged } from '../../journey/stale-mapping.ts';
import { compareRewritten } from '../missing/rewritten-tables.ts';
import { ColumnsAdded, TablesRewritten } from '../restore/notice/check-helium.ts';
import type { RunWith } from '../run/parts.ts';
import { reportFailure } from '../run/report/report-failure.ts';
import { OpLogPages } from './reader/op-log-pages.ts';
import { PollPace } from './reader/poll-pace.ts';
import { runRound } from './steps.ts';

export async function runToHeliumLoop(
  run: RunWith<
    | 'announced'
    | 'catalogCheck'
    | 'echoes'
    | 'lookUps'
    | 'loops'
    | 'mapping'
    | 'progress'
    | 'readAgain'
    | 'refreshQueue'
    | 'reserveIdlePoll'
    | 'retries'
    | 'tally'
    | 'timing'
  >,
): Promise<void> {
  const { signal } = run;
  const { toHelium: retryPolicy, toJourney: otherDirection } = run.retries;
  const pace = new PollPace(run);
  const pages = new OpLogPages(run);
  let rewritten: TablesRewritten | null = null;
  let isOutdated = false;
  while (!signal.aborted) {
    try {
      if (rewritten) await compareRewritten(run, rewritten);
      rewritten = null;
      if (isOutdated) await run.mapping.followModel();
      isOutdated = false;
      const hasMore = await runRound({ run, pages, pace });
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
        run.catalogCheck.request();
        isOutdated = true;
        continue;
      }
      // During a full read, nothing else notices the new model.
      if (error instanceof DataModelChanged) await run.mapping.followModel(error.hash);
      const waitMs = retryPolicy.nextDelayMs(error);
      await reportFailure(run, 'toHelium', error, waitMs);
      await retryPolicy.wait(waitMs, signal);
    }
  }
}
