/** Applies entries to Helium, and logs the result. */

import { formatCount } from '../../integration/format-count.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import { opLogTable } from '../../journey/unreadable-entries.ts';
import type { RunWith } from '../run/parts.ts';
import { logSynced } from '../run/report/log-synced.ts';
import { type ApplyResult, applyPage, type EntryPage, isSyncedToHelium } from './page.ts';

export async function applyEntries(
  run: RunWith<'loops' | 'progress' | 'tally'>,
  entries: readonly JourneyEntry[],
  page: Omit<EntryPage, 'entries'>,
): Promise<ApplyResult> {
  if (page.isListing) run.progress.markListings();
  const { context } = run;
  const synced = entries.filter(({ key }) => isSyncedToHelium(context, key));
  const unreadable = page.unreadable?.filter(({ key }) => key.table === opLogTable || isSyncedToHelium(context, key));
  const total = await context.withSlot(() =>
    applyPage(context, { ...page, entries: synced, ...(unreadable && { unreadable }) }),
  );
  // It compares both sides, see `holdUnreadable`.
  if (unreadable?.some(({ key }) => key.table === opLogTable)) run.loops.wake('comparison requested');
  const { written } = total;
  if (total.hasNewBlocked) run.tally.requestBlockedCheck();
  if (total.waitingFiles + total.held + total.released + total.conflicts > 0) run.tally.requestRecount();
  // The files of a released record are due now, and those that lost a conflict may have to be
  // fetched.
  if (total.waitingFiles + total.released + total.conflicts > 0) run.loops.wake('files to fetch');
  if (written.length > 0) {
    const facts = [
      ...(total.held > 0 ? [`${total.held} held`] : []),
      ...(total.conflicts > 0 ? [formatCount(total.conflicts, 'conflict')] : []),
    ];
    logSynced(run, { direction: 'Journey → Helium', done: 'written', keys: written, facts });
    run.tally.addToHelium(written.length);
    run.publish({ journeyLastUpdatedMs: Date.now(), syncedToHelium: run.tally.writtenToHelium });
  }
  run.loops.wake('records to send');
  return total;
}
