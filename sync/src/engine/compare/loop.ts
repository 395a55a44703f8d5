/** Compares both sides once a day, and whenever a comparison is requested. */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { isContention } from '../../helium/database-failures.ts';
import {
  clearComparisonRequest,
  readComparisonAgeMs,
  readComparisonRequest,
} from '../../sync-state/comparisons.store.ts';
import { ColumnsAdded, TablesRewritten } from '../restore/notice/check-helium.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { compareSides } from './compare-sides.ts';

const intervalMs = 24 * 3_600_000;
/** The delay when the sides were never compared: short enough for a service that restarts daily. */
const initialDelayMs = 3_600_000;
const retryMs = 60_000;

export async function runCompareLoop(active: ActiveRun): Promise<void> {
  const { run, timing } = active;
  const ageMs = await readComparisonAgeMs(active.context.helium.pool, active.context.stateId);
  let dueMs = Date.now() + getFirstDelayMs(ageMs, Math.random() * timing.compareSpreadMs);
  while (!run.signal.aborted) {
    try {
      const { helium, stateId, fence } = active.context;
      const request = await readComparisonRequest(helium.pool, stateId, fence);
      const waitMs = dueMs - Date.now();
      if (request === null && waitMs > 0) {
        await active.compare.sleep(waitMs, run.signal);
        continue;
      }
      await compareSides(active);
      // Only now: a run that ends in between leaves the request to the next one.
      if (request !== null) await clearComparisonRequest(helium.pool, stateId, fence, request);
      dueMs = Date.now() + intervalMs;
    } catch (error) {
      if (run.signal.aborted) return;
      // The other loops settle rewritten tables and follow added columns.
      const isTemporary =
        error instanceof JourneyProblem ||
        error instanceof TablesRewritten ||
        error instanceof ColumnsAdded ||
        isContention(error);
      if (!isTemporary) throw error;
      run.log('WARNING', `The comparison of both sides was interrupted: ${error.message}`);
      await active.compare.sleep(retryMs, run.signal);
      dueMs = Date.now();
    }
  }
}

/**
 * Returns the milliseconds from the start of a run to its first comparison.
 *
 * @param ageMs the age of the last comparison; null when there was none
 * @param extraMs a random delay, so that integrations that start together do not compare at once
 */
export function getFirstDelayMs(ageMs: number | null, extraMs: number): number {
  return (ageMs === null ? initialDelayMs : Math.max(0, intervalMs - ageMs)) + extraMs;
}
