/** Carries records to Journey in one of the process's working slots, and tells what became of them. */

import type { ActiveRun } from '../shared/active-run.ts';
import { formatCount } from '../shared/format-count.ts';
import type { SentPage } from './send-page.ts';

export async function sendAndReport(active: ActiveRun, work: () => Promise<SentPage>): Promise<void> {
  const carried = await active.run.slot(work).catch((error: unknown) => {
    active.mustReadFirst = active.isFromJourney;
    throw error;
  });
  active.acknowledged = Math.max(active.acknowledged, carried.acknowledged);
  if (carried.refused > 0 || carried.hadHeld) {
    active.countsMayDiffer = true;
    active.toHelium.wake();
  }
  if (carried.sent > 0) {
    active.carriedToJourney += carried.sent;
    const { carriedToJourney } = active;
    active.run.publish({ heliumLastUpdatedMs: Date.now(), lastPingedMs: Date.now(), carriedToJourney });
    active.run.log(
      'INFO',
      `Helium → Journey: ${formatCount(carried.sent, 'record')} sent${refusals(carried.refused)}.`,
    );
  }
  // Their echoes are there already.
  if (carried.sent + carried.refused > 0) {
    active.hasUnsettled = true;
    active.toHelium.wake();
  }
}

function refusals(refused: number): string {
  return refused === 0 ? '' : `, ${refused} refused`;
}
