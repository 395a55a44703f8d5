import type { StatsRange } from '@portal/contract/db-spy';
import type { SnapshotMoment } from './snapshots.store.ts';

const rangeMs: Readonly<Record<Exclude<StatsRange, 'reset'>, number>> = {
  hour: 3_600_000,
  day: 24 * 3_600_000,
  week: 7 * 24 * 3_600_000,
};

/** Snapshots never match a range exactly; smaller differences are not mentioned. */
const noteThresholdMs = 10 * 60_000;

export interface RangeStart<Snapshot extends SnapshotMoment> {
  /** The actual start of counting; null means since the last reset, at an unknown time. */
  readonly from: Date | null;
  /** The baseline snapshot; undefined if all current counters belong to the range. */
  readonly snapshot: Snapshot | undefined;
  /** True if the server has restarted and does not report whether it lost its counters. */
  readonly mayHaveLostCounts: boolean;
  readonly notes: string[];
}

/** Returns the instant at which a range begins. */
export function getRangeBeginning(range: Exclude<StatsRange, 'reset'>, now: Date): Date {
  return new Date(now.getTime() - rangeMs[range]);
}

/**
 * Determines where counting starts, given the snapshot nearest to the beginning of the range.
 *
 * @param server Its current state; `lastReset` is null if unknown.
 */
export function resolveRangeStart<Snapshot extends SnapshotMoment>(
  beginning: Date,
  snapshot: Snapshot | undefined,
  { lastReset, startedAt }: { readonly lastReset: Date | null; readonly startedAt: Date },
): RangeStart<Snapshot> {
  if (lastReset !== null && (snapshot ? isResetSince(snapshot, lastReset) : lastReset > beginning)) {
    const notes = [`The statistics were reset at ${formatInstant(lastReset)}; counted from then.`];
    return { from: lastReset, snapshot: undefined, mayHaveLostCounts: false, notes };
  }
  if (!snapshot) {
    const when = lastReset ? `, at ${formatInstant(lastReset)}` : '';
    const notes = [`No snapshot exists yet; counted from the last reset${when}.`];
    return { from: lastReset, snapshot, mayHaveLostCounts: false, notes };
  }
  const { takenAt } = snapshot;
  const notes: string[] = [];
  if (takenAt.getTime() - beginning.getTime() > noteThresholdMs)
    notes.push(`The oldest snapshot was taken at ${formatInstant(takenAt)}; counted from then.`);
  if (beginning.getTime() - takenAt.getTime() > noteThresholdMs)
    notes.push(`The nearest snapshot was taken at ${formatInstant(takenAt)}; counted from then.`);
  // A server that reports resets also reports crashes as such.
  const mayHaveLostCounts = snapshot.statsReset === null && startedAt.getTime() !== snapshot.serverStartedAt.getTime();
  if (mayHaveLostCounts)
    notes.push(`The server was restarted at ${formatInstant(startedAt)}; counters lost then start from that time.`);
  return { from: takenAt, snapshot, mayHaveLostCounts, notes };
}

/**
 * Compares the server's own timestamps, because its clock may differ from ours; falls back to our
 * clock if the server reports none.
 */
function isResetSince({ statsReset, takenAt }: SnapshotMoment, lastReset: Date): boolean {
  return statsReset === null ? lastReset >= takenAt : lastReset.getTime() !== statsReset.getTime();
}

/** Returns for example '2026-11-21 10:30 UTC'. */
function formatInstant(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
