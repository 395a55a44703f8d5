import type { RunWith } from '../../run/parts.ts';
import { verifyHelium } from './check-helium.ts';
import { verifyJourney } from './check-journey.ts';

/** Throws RestoreFound when either side was restored. */
export async function verifySides(run: RunWith<'progress'>): Promise<void> {
  await verifyHelium(run.context);
  await run.context.withSlot(() => verifyJourney(run));
}
