import type { StatsRange } from '@portal/contract/db-spy';
import type { SnapshotMoment } from './snapshots.store.ts';

const rangeMs: Readonly<Record<Exclude<StatsRange, 'reset'>, number>> = {
  hour: 3_600_000,
  day: 24 * 3_600_000,
  week: 7 * 24 * 3_600_000,
};

/**
 * Snapshots are never quite a range old: only a difference people would wonder at is worth a
 * sentence.
 */
const worthSayingMs = 10 * 60_000;

export interface RangeStart<Snapshot extends SnapshotMoment> {
  /** From when it really counts; null: since the last reset, whenever that was. */
  readonly from: Date | null;
  /** What to count from; undefined where everything there is now has come since. */
  readonly snapshot: Snapshot | undefined;
  /**
   * Whether the server was started anew since, and does not say whether it lost by that what it had
   * counted.
   */
  readonly mayHaveLost: boolean;
  readonly notes: string[];
}

/** The instant a range begins at. */
export function beginningOf(range: Exclude<StatsRange, 'reset'>, now: Date): Date {
  return new Date(now.getTime() - rangeMs[range]);
}

/**
 * From where a range is counted, given the snapshot that is nearest to its beginning.
 *
 * @param server what it says now; `lastReset` null where nobody knows
 */
export function startOfRange<Snapshot extends SnapshotMoment>(
  beginning: Date,
  snapshot: Snapshot | undefined,
  { lastReset, startedAt }: { readonly lastReset: Date | null; readonly startedAt: Date },
): RangeStart<Snapshot> {
  if (lastReset !== null && (snapshot ? isResetSince(snapshot, lastReset) : lastReset > beginning)) {
    const notes = [`The statistics were reset at ${timeOf(lastReset)}: counted from then.`];
    return { from: lastReset, snapshot: undefined, mayHaveLost: false, notes };
  }
  if (!snapshot) {
    const when = lastReset ? `, at ${timeOf(lastReset)}` : '';
    const notes = [`There is no snapshot yet: counted from the last reset${when}.`];
    return { from: lastReset, snapshot, mayHaveLost: false, notes };
  }
  const { takenAt } = snapshot;
  const notes: string[] = [];
  if (takenAt.getTime() - beginning.getTime() > worthSayingMs)
    notes.push(`The oldest snapshot was taken at ${timeOf(takenAt)}: counted from then.`);
  if (beginning.getTime() - takenAt.getTime() > worthSayingMs)
    notes.push(`The nearest snapshot was taken at ${timeOf(takenAt)}: counted from then.`);
  // A server that says when it was reset says so of a crash, too.
  const mayHaveLost = snapshot.statsReset === null && startedAt.getTime() !== snapshot.serverStartedAt.getTime();
  if (mayHaveLost)
    notes.push(`The server was started anew at ${timeOf(startedAt)}; what it had lost by that is counted from then.`);
  return { from: takenAt, snapshot, mayHaveLost, notes };
}

/**
 * Told by what the server said then and says now, because its clock may go by another time; by ours
 * where it says nothing.
 */
function isResetSince({ statsReset, takenAt }: SnapshotMoment, lastReset: Date): boolean {
  return statsReset === null ? lastReset >= takenAt : lastReset.getTime() !== statsReset.getTime();
}

/** '2026-11-21 10:30 UTC' */
function timeOf(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
