/** Sends records to Journey in one of the process's work slots, and reports the outcome. */

import { formatCount } from '../../../integration/format-count.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { logSynced } from '../../run/report/log-synced.ts';
import type { SentPage } from './send-page.ts';

/** @param work returns null when it sent nothing; runs its argument before each call that sends */
export async function sendAndReport(
  active: ActiveRun,
  work: (onCall: () => void) => Promise<SentPage | null>,
): Promise<void> {
  const { run, echoes, tally } = active;
  let isCalled = false;
  const onCall = () => {
    isCalled = true;
  };
  const page = await run
    .withSlot(() => work(onCall))
    .catch((error: unknown) => {
      // Without a call, which limits may prevent, the op-log need not be readable first.
      if (active.isFromJourney && isCalled) echoes.markUnanswered();
      throw error;
    });
  if (!page) return;
  const { sentKeys, refused, undecided, suspected, failure, mayChangeCounts, acknowledged, answeredAtMs, conflicts } =
    page;
  const sent = sentKeys.length;
  echoes.acknowledge(acknowledged, answeredAtMs);
  if (page.hasMissing) echoes.recordMissing(answeredAtMs);
  // Their echoes are looked for before they are sent again.
  const [undecidedProblem] = undecided;
  if (undecidedProblem && active.isFromJourney) echoes.markUnanswered();
  if (conflicts > 0) run.log('INFO', `Helium → Journey: ${formatCount(conflicts, 'conflict')}.`);
  if (refused + undecided.length > 0 || mayChangeCounts || conflicts > 0) {
    tally.requestRecount();
    active.toHelium.wake();
  }
  if (sent > 0) {
    tally.addToJourney(sent, Date.now());
    run.publish({ heliumLastUpdatedMs: Date.now(), lastPingedMs: Date.now(), syncedToJourney: tally.sentToJourney });
    const facts = refused === 0 ? [] : [`${refused} refused`];
    logSynced(run, { direction: 'Helium → Journey', done: 'sent', keys: sentKeys, facts });
  }
  if (undecidedProblem) {
    const records = formatCount(undecided.length, 'record');
    run.log('WARNING', `Helium → Journey: ${records} will be retried: ${undecidedProblem.message}`);
  }
  if (suspected) run.publish({ heliumSyncStatus: `Waiting: ${suspected.message}` });
  // Their echoes are already in the op-log.
  if (sent + refused + undecided.length > 0) {
    echoes.expectEchoes();
    active.toHelium.wake();
  }
  if (failure) active.retries.toJourney.failLater(failure);
}
