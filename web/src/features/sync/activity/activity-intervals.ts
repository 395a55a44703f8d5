import { type Activity, type ActivityInterval, activitySpans } from '@portal/contract/sync-activity';
import { syncHealthRule } from '@portal/contract/sync-integration';
import { formatDuration, formatPlural } from '../../../lib/format.ts';

export interface IntervalLength {
  readonly stepMs: number;
  readonly intervals: number;
}

/** The row of an integration shows hours, of which the week has the figures. */
export const listedLength = (hours: number): IntervalLength => ({
  stepMs: activitySpans.week.stepMs,
  intervals: hours,
});

/** Returns every interval, also those without activity. */
export function fillIntervals(
  { from, intervals }: Activity,
  { stepMs, ...length }: IntervalLength,
): ActivityInterval[] {
  const byStart = new Map(intervals.map((interval) => [interval.at, interval]));
  return Array.from({ length: length.intervals }, (_, index) => {
    const at = from + index * stepMs;
    return byStart.get(at) ?? { at, toJourney: 0, toHelium: 0, toJourneyLagMs: 0, toHeliumLagMs: 0 };
  });
}

/** Whether a change waited so long in it that the integration was late. */
export function wasLate({ toJourneyLagMs, toHeliumLagMs }: ActivityInterval): boolean {
  return Math.max(toJourneyLagMs, toHeliumLagMs) > syncHealthRule.lateAfterMs;
}

export interface ActivitySummary {
  readonly toJourney: number;
  readonly toHelium: number;
  readonly longestLagMs: number;
}

export function sumUp(intervals: readonly ActivityInterval[]): ActivitySummary {
  return intervals.reduce<ActivitySummary>(
    (sum, { toJourney, toHelium, toJourneyLagMs, toHeliumLagMs }) => ({
      toJourney: sum.toJourney + toJourney,
      toHelium: sum.toHelium + toHelium,
      longestLagMs: Math.max(sum.longestLagMs, toJourneyLagMs, toHeliumLagMs),
    }),
    { toJourney: 0, toHelium: 0, longestLagMs: 0 },
  );
}

/** Describes the activity: "1,203 records to Journey, 1 record to Helium, longest lag 3.2 s". */
export function describeActivity(intervals: readonly ActivityInterval[]): string {
  const { toJourney, toHelium, longestLagMs } = sumUp(intervals);
  const lag = longestLagMs === 0 ? 'no lag' : `longest lag ${formatDuration(longestLagMs)}`;
  return `${formatPlural(toJourney, 'record')} to Journey, ${formatPlural(toHelium, 'record')} to Helium, ${lag}`;
}
