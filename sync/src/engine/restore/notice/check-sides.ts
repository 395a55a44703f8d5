import type { ActiveRun } from '../../run/active-run.ts';
import { verifyHelium } from './check-helium.ts';
import { verifyJourney } from './check-journey.ts';

/** Throws RestoreFound when either side was restored. */
export async function verifySides(active: Pick<ActiveRun, 'context' | 'progress' | 'run'>): Promise<void> {
  await verifyHelium(active.context);
  await active.run.withSlot(() => verifyJourney(active));
}
