/** Compares both sides once a day, and whenever somebody asks for it. */
import { setTimeout as pause } from 'node:timers/promises';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { isContention } from '../../helium/database-failures.ts';
import { readComparisonAgeMs, takeComparisonRequest } from '../../sync-state/comparisons.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { compareSides } from './compare-sides.ts';

const everyMs = 24 * 3_600_000;
/** Where both sides were never compared: soon enough for whoever restarts every day. */
const initialMs = 3_600_000;
const againMs = 60_000;

export async function runCompareLoop(active: ActiveRun): Promise<void> {
  const { run } = active;
  const ageMs = await readComparisonAgeMs(active.context.helium.pool, active.context.stateId);
  let dueMs = Date.now() + (ageMs === null ? initialMs : everyMs - ageMs);
  while (!run.signal.aborted) {
    await active.compare.sleep(Math.max(0, dueMs - Date.now()), run.signal);
    if (run.signal.aborted) return;
    const isWished = await takeComparisonRequest(
      active.context.helium.pool,
      active.context.stateId,
      active.context.fence,
    );
    if (!isWished && Date.now() < dueMs) continue;
    try {
      await compareSides(active);
      dueMs = Date.now() + everyMs;
    } catch (error) {
      if (run.signal.aborted) return;
      if (!(error instanceof JourneyProblem || isContention(error))) throw error;
      run.log('WARNING', `The comparison of both sides was broken off: ${error.message}`);
      await pause(againMs, undefined, { signal: run.signal }).catch(() => undefined);
      // Whoever wished it still does.
      dueMs = Date.now();
    }
  }
}
