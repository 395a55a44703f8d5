/** Reports what Journey answered to the run, its log and its figures. */

import { formatCount } from '../../../integration/format-count.ts';
import type { RunWith } from '../../run/parts.ts';
import { logSynced } from '../../run/report/log-synced.ts';
import type { SentPage } from '../receipts.ts';

export function reportReceipts(run: RunWith<'echoes' | 'loops' | 'retries' | 'tally'>, page: SentPage): void {
  const { echoes, tally } = run;
  const { sentKeys, refused, undecided, suspected, failure, mayChangeCounts, acknowledged, answeredAtMs, conflicts } =
    page;
  const sent = sentKeys.length;
  echoes.acknowledge(acknowledged, answeredAtMs);
  if (page.hasMissing) echoes.recordMissing(answeredAtMs);
  // Their echoes are looked for before they are sent again.
  const [undecidedProblem] = undecided;
  if (undecidedProblem && run.context.isFromJourney) echoes.markUnanswered();
  if (conflicts > 0) run.log('INFO', `Helium → Journey: ${formatCount(conflicts, 'conflict')}.`);
  if (refused + undecided.length > 0 || mayChangeCounts || conflicts > 0) {
    tally.requestRecount();
    run.loops.wake('counts changed');
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
    run.loops.wake('op-log awaited');
  }
  if (failure) run.retries.toJourney.failLater(failure);
}
