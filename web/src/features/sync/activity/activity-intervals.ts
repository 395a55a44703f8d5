import { type Activity, type ActivityInterval, activitySpans, listedHours } from '@portal/contract/sync/activity';
import { syncHealthRule } from '@portal/contract/sync/integration';
import { formatDuration } from '../../../format/durations.ts';
import { formatPlural } from '../../../format/numbers.ts';

export interface IntervalLength {
  readonly stepMs: number;
  readonly intervals: number;
}

/** The row of an integration shows hours, of which the week has the figures. */
export const listedLength: IntervalLength = { stepMs: activitySpans.week.stepMs, intervals: listedHours };

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

/** Describes the activity: "1,203 records to Journey, 1 record to Helium, longest lag 3.2 s". */
export function describeActivity(intervals: readonly ActivityInterval[]): string {
  const sum = { toJourney: 0, toHelium: 0, lagMs: 0 };
  for (const { toJourney, toHelium, toJourneyLagMs, toHeliumLagMs } of intervals) {
    sum.toJourney += toJourney;
    sum.toHelium += toHelium;
    sum.lagMs = Math.max(sum.lagMs, toJourneyLagMs, toHeliumLagMs);
  }
  const lag = sum.lagMs === 0 ? 'no lag' : `longest lag ${formatDuration(sum.lagMs)}`;
  return `${formatPlural(sum.toJourney, 'record')} to Journey, ${formatPlural(sum.toHelium, 'record')} to Helium, ${lag}`;
}
