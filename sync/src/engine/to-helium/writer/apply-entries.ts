/** Applies entries to Helium, and logs the result. */

import { formatCount } from '../../../integration/format-count.ts';
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { opLogTable } from '../../../journey/unreadable-entries.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { logSynced } from '../../run/report/log-synced.ts';
import { type ApplyResult, applyPage, type EntryPage, isSyncedToHelium } from './apply-page.ts';

export async function applyEntries(
  active: ActiveRun,
  entries: readonly JourneyEntry[],
  page: Omit<EntryPage, 'entries'>,
): Promise<ApplyResult> {
  if (page.isListing) active.progress.markListings();
  const { context } = active;
  const synced = entries.filter(({ key }) => isSyncedToHelium(context, key));
  const unreadable = page.unreadable?.filter(({ key }) => key.table === opLogTable || isSyncedToHelium(context, key));
  const total = await active.run.withSlot(() =>
    applyPage(context, { ...page, entries: synced, ...(unreadable && { unreadable }) }),
  );
  // It compares both sides, see `holdUnreadable`.
  if (unreadable?.some(({ key }) => key.table === opLogTable)) active.compare.wake();
  const { written } = total;
  if (total.hasNewBlocked) active.tally.requestBlockedCheck();
  if (total.waitingFiles + total.held + total.released + total.conflicts > 0) active.tally.requestRecount();
  // The files of a released record are due now, and those that lost a conflict may have to be
  // fetched.
  if (total.waitingFiles + total.released + total.conflicts > 0) active.files.wake();
  if (written.length > 0) {
    const facts = [
      ...(total.held > 0 ? [`${total.held} held`] : []),
      ...(total.conflicts > 0 ? [formatCount(total.conflicts, 'conflict')] : []),
    ];
    logSynced(active.run, { direction: 'Journey → Helium', done: 'written', keys: written, facts });
    active.tally.addToHelium(written.length);
    active.run.publish({ journeyLastUpdatedMs: Date.now(), syncedToHelium: active.tally.writtenToHelium });
  }
  active.toJourney.wake();
  return total;
}
