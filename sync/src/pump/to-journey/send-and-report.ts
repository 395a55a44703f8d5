/** Carries records to Journey in one of the process's working slots, and tells what became of them. */

import type { ActiveRun } from '../shared/active-run.ts';
import { count } from '../shared/format-count.ts';
import type { Carried } from './send-page.ts';

export async function carryAndTell(active: ActiveRun, work: () => Promise<Carried>): Promise<void> {
  const carried = await active.run.slot(work).catch((error: unknown) => {
    active.mustReadFirst = active.isFromJourney;
    throw error;
  });
  active.acknowledged = Math.max(active.acknowledged, carried.acknowledged);
  if (carried.refused > 0 || carried.hadHeld) {
    active.countsMayDiffer = true;
    active.toHelium.ring();
  }
  if (carried.sent > 0) {
    active.carriedToJourney += carried.sent;
    const { carriedToJourney } = active;
    active.run.publish({ heliumLastUpdatedMs: Date.now(), lastPingedMs: Date.now(), carriedToJourney });
    active.run.log('INFO', `Helium → Journey: ${count(carried.sent, 'record')} sent${refusals(carried.refused)}.`);
  }
  // Their echoes are there already.
  if (carried.sent + carried.refused > 0) {
    active.hasUnsettled = true;
    active.toHelium.ring();
  }
}

function refusals(refused: number): string {
  return refused === 0 ? '' : `, ${refused} refused`;
}
