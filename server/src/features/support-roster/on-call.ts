import { byStart, type Shift, type Span } from '@portal/platforms/roster/roster-source';

/** An uninterrupted on-call period of a person, over one or more shifts. */
export interface OnCallPeriod extends Span {
  readonly personId: string;
  readonly name: string;
}

export interface OnCallStatus {
  /** Current periods, ordered by start. */
  readonly now: readonly OnCallPeriod[];
  /** The next period that starts within a year. */
  readonly next: OnCallPeriod | null;
  /** Uncovered spans of the next 30 days. */
  readonly gaps: readonly Span[];
}

const dayMs = 86_400_000;
const nextHorizonMs = 366 * dayMs;
const gapHorizonMs = 30 * dayMs;
const nearHorizonMs = 31 * dayMs;

/** Returns the span of shifts that `findOnCall` needs. */
export function getOnCallSpan(now: Date): Span {
  return { from: now, to: new Date(now.getTime() + nextHorizonMs) };
}

/**
 * Returns a much shorter span that is usually enough: a year of short shifts takes tens of
 * milliseconds to read and to merge.
 */
export function getNearOnCallSpan(now: Date): Span {
  return { from: now, to: new Date(now.getTime() + nearHorizonMs) };
}

/** Returns the span in which gaps are found. */
export function getGapSpan(now: Date): Span {
  return { from: now, to: new Date(now.getTime() + gapHorizonMs) };
}

/**
 * Whether shifts beyond the end of a span, which has all gaps, cannot change what was found in it.
 */
export function isIndependentOf({ now, next }: OnCallStatus, { to: end }: Span): boolean {
  return next !== null && [...now, next].every(({ to }) => to < end);
}

/** Finds who is on call at an instant, who is next, and which gaps follow. */
export function findOnCall(shifts: readonly Shift[], now: Date): OnCallStatus {
  const periods = mergeShifts(shifts);
  const latest = now.getTime() + nextHorizonMs;
  return {
    now: periods.filter(({ from, to }) => from <= now && to > now),
    next: periods.find(({ from }) => from > now && from.getTime() <= latest) ?? null,
    gaps: findGaps(shifts, getGapSpan(now)),
  };
}

/** Merges overlapping or adjacent shifts of the same person into periods, earliest first. */
export function mergeShifts(shifts: readonly Shift[]): OnCallPeriod[] {
  const periods: OnCallPeriod[] = [];
  const lastIndexes = new Map<string, number>();
  for (const { personId, name, start, end } of [...shifts].sort(byStart)) {
    const index = lastIndexes.get(personId);
    const last = index === undefined ? undefined : periods[index];
    if (index !== undefined && last && start <= last.to) {
      if (end > last.to) periods[index] = { ...last, to: end };
    } else {
      lastIndexes.set(personId, periods.push({ personId, name, from: start, to: end }) - 1);
    }
  }
  return periods;
}

/** Finds the parts of a span that no shift covers, earliest first. */
export function findGaps(shifts: readonly Shift[], { from, to }: Span): Span[] {
  const gaps: Span[] = [];
  let covered = from;
  for (const { start, end } of [...shifts].sort(byStart)) {
    if (start >= to) break;
    if (start > covered) gaps.push({ from: covered, to: start });
    if (end > covered) covered = end;
  }
  if (covered < to) gaps.push({ from: covered, to });
  return gaps;
}
