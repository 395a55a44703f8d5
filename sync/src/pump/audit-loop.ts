/** Compares both sides once a day, and whenever somebody asks for it. */
import { setTimeout as pause } from 'node:timers/promises';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { readAuditAgeMs, takeAuditWish } from '../state/audit-store.ts';
import { auditDrift } from './audit-drift.ts';
import { isContention } from './database-trouble.ts';
import type { IntegrationRun } from './integration-run.ts';

const EVERY_MS = 24 * 3_600_000;
/** Where both sides were never compared: soon enough for whoever restarts every day. */
const FIRST_MS = 3_600_000;
const AGAIN_MS = 60_000;

export async function runAudits(on: IntegrationRun): Promise<void> {
  const { run } = on;
  const ageMs = await readAuditAgeMs(on.pump.helium.pool, on.pump.run);
  let dueMs = Date.now() + (ageMs === null ? FIRST_MS : EVERY_MS - ageMs);
  while (!run.signal.aborted) {
    await on.audit.sleep(Math.max(0, dueMs - Date.now()), run.signal);
    if (run.signal.aborted) return;
    const isWished = await takeAuditWish(on.pump.helium.pool, on.pump.run, on.pump.fence);
    if (!isWished && Date.now() < dueMs) continue;
    try {
      await auditDrift(on);
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
