/**
 * Runs enrollment at its interval while the integration runs. Its failures are logged and never
 * stop the sync of records.
 */

import { Problem } from '@portal/kit/problems';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { runEnrollment } from '../../enrollment/run-enrollment.ts';
import { getStateKey } from '../../integration/state-key.ts';
import { lockRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { WakeSignal } from '../shared/wake-signal.ts';

/**
 * A round that failed, or found no users because none are synced yet, is repeated before the next
 * one is due.
 */
const retryMs = 60_000;

export async function runEnrollmentLoop(active: ActiveRun): Promise<void> {
  const { run } = active;
  const { config } = run.integration;
  const enrollment = config.journeyToHeliumEnrollment;
  const timer = new WakeSignal();
  while (!run.signal.aborted) {
    let restMs = enrollment.updateIntervalMins * 60_000;
    if (enrollment.enabled) {
      try {
        const { users } = await run.withSlot(async () =>
          runEnrollment({
            enrollment,
            stateKey: getStateKey(run.integration),
            client: active.client,
            pool: active.context.helium.pool,
            catalog: await active.context.helium.readCatalog(),
            heliumToJourneyEnabled: config.enableHeliumToJourney,
            now: () => new Date(),
            log: run.log,
            signal: run.signal,
            checkFence: async (db) => void (await lockRun(db, active.context.stateId, active.context.fence)),
          }),
        );
        if (users === 0) restMs = Math.min(restMs, retryMs);
      } catch (error) {
        if (run.signal.aborted) return;
        if (!(error instanceof Problem || error instanceof JourneyProblem)) throw error;
        run.log('WARNING', `Enrollment: ${error.message}`);
        restMs = Math.min(restMs, retryMs);
      }
    }
    await timer.sleep(restMs, run.signal);
  }
}
