/** Sends records to Journey in one of the process's work slots, and reports the outcome. */

import type { ActiveRun } from '../shared/active-run.ts';
import { formatCount } from '../shared/format-count.ts';
import { logSynced } from '../shared/log-synced.ts';
import type { SentPage } from './send-page.ts';

/** @param work returns null when it sent nothing */
export async function sendAndReport(active: ActiveRun, work: () => Promise<SentPage | null>): Promise<void> {
  const { run, echoes, tally } = active;
  const page = await run.withSlot(work).catch((error: unknown) => {
    if (active.isFromJourney) echoes.markUnanswered();
    throw error;
  });
  if (!page) return;
  const { sent, refused, hadHeld, acknowledged, answeredAtMs, conflicts } = page;
  echoes.acknowledge(acknowledged, answeredAtMs);
  if (page.hasMissing) echoes.recordMissing(answeredAtMs);
  if (conflicts > 0) run.log('INFO', `Helium → Journey: ${formatCount(conflicts, 'conflict')}.`);
  if (refused > 0 || hadHeld || conflicts > 0) {
    tally.requestRecount();
    active.toHelium.wake();
  }
  if (sent > 0) {
    tally.addToJourney(sent);
    run.publish({ heliumLastUpdatedMs: Date.now(), lastPingedMs: Date.now(), syncedToJourney: tally.sentToJourney });
    const facts = refused === 0 ? [] : [`${refused} refused`];
    logSynced(run, { direction: 'Helium → Journey', done: 'sent', keys: page.sentKeys, facts });
  }
  // Their echoes are already in the op-log.
  if (sent + refused > 0) {
    echoes.expectEchoes();
    active.toHelium.wake();
  }
}
