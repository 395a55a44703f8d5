import type { ActiveRun } from '../context/active-run.ts';
import { verifyHelium } from '../verify/verify-helium.ts';
import { verifyJourney } from '../verify/verify-journey.ts';

/** Throws RestoreFound when either side was restored. */
export async function verifySides(active: Pick<ActiveRun, 'context' | 'progress' | 'run'>): Promise<void> {
  await verifyHelium(active.context);
  await active.run.withSlot(() => verifyJourney(active));
}
