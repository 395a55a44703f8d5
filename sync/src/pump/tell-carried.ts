/** Carries records to Journey in one of the process's working slots, and tells what became of them. */
import type { Carried } from './carry-to-journey.ts';
import type { IntegrationRun } from './integration-run.ts';

export async function carryAndTell(on: IntegrationRun, work: () => Promise<Carried>): Promise<void> {
  const carried = await on.run.slot(work).catch((problem: unknown) => {
    on.mustReadFirst = on.isFromJourney;
    throw problem;
  });
  on.acknowledged = Math.max(on.acknowledged, carried.acknowledged);
  if (carried.refused > 0 || carried.hadHeld) {
    on.countsMayDiffer = true;
    on.toHelium.ring();
  }
  if (carried.sent > 0) {
    on.carriedToJourney += carried.sent;
    const { carriedToJourney } = on;
    on.run.publish({ heliumLastUpdatedMs: Date.now(), lastPingedMs: Date.now(), carriedToJourney });
    on.run.log('INFO', `Helium → Journey: ${count(carried.sent, 'record')} sent${refusals(carried.refused)}.`);
  }
  // Their echoes are there already.
  if (carried.sent + carried.refused > 0) {
    on.hasUnsettled = true;
    on.toHelium.ring();
  }
}

function refusals(refused: number): string {
  return refused === 0 ? '' : `, ${refused} refused`;
}

export function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
