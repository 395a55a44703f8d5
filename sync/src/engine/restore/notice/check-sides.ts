import type { RunWith } from '../../run/parts.ts';
import { checkHelium } from './check-helium.ts';
import { checkJourney } from './check-journey.ts';

/** Throws RestoreFound when either side was restored. */
export async function checkSides(run: RunWith<'progress'>): Promise<void> {
  await checkHelium(run.context);
  await run.context.withSlot(() => checkJourney(run));
}
