/** Compares both sides once a day, and whenever somebody asks for it. */
import { setTimeout as pause } from 'node:timers/promises';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { isContention } from '../../helium/database-failures.ts';
import { readAuditAgeMs, takeAuditWish } from '../../sync-state/comparisons.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { auditDrift } from './compare-sides.ts';

const EVERY_MS = 24 * 3_600_000;
/** Where both sides were never compared: soon enough for whoever restarts every day. */
const FIRST_MS = 3_600_000;
const AGAIN_MS = 60_000;

export async function runAudits(active: ActiveRun): Promise<void> {
  const { run } = active;
  const ageMs = await readAuditAgeMs(active.context.helium.pool, active.context.stateId);
  let dueMs = Date.now() + (ageMs === null ? FIRST_MS : EVERY_MS - ageMs);
  while (!run.signal.aborted) {
    await active.audit.sleep(Math.max(0, dueMs - Date.now()), run.signal);
    if (run.signal.aborted) return;
    const isWished = await takeAuditWish(active.context.helium.pool, active.context.stateId, active.context.fence);
    if (!isWished && Date.now() < dueMs) continue;
    try {
      await auditDrift(active);
      dueMs = Date.now() + EVERY_MS;
    } catch (problem) {
      if (run.signal.aborted) return;
      if (!(problem instanceof JourneyProblem || isContention(problem))) throw problem;
      run.log('WARNING', `The comparison of both sides was broken off: ${problem.message}`);
      await pause(AGAIN_MS, undefined, { signal: run.signal }).catch(() => undefined);
      // Whoever wished it still does.
      dueMs = Date.now();
    }
  }
}
