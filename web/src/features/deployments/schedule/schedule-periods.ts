import type { ScheduleRow } from './schedule-rows.ts';

const weekMs = 7 * 86_400_000;

interface Clock {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The day in the environment's time zone, 'YYYY-MM-DD'. */
  readonly today: string;
}

const periods = {
  overdue: {
    tone: 'warning',
    matches: ({ schedule }: ScheduleRow, { now }: Clock) =>
      schedule.scheduleStatus === 'MERGE' && Date.parse(schedule.deploymentDate) < now,
  },
  today: { tone: 'primary', matches: ({ at }: ScheduleRow, { today }: Clock) => at.startsWith(today) },
  week: {
    tone: 'neutral',
    matches: ({ schedule }: ScheduleRow, { now }: Clock) => {
      const fromNow = Date.parse(schedule.deploymentDate) - now;
      return fromNow >= 0 && fromNow < weekMs;
    },
  },
} as const;

/**
 * A choice of schedules by their date. `overdue`: not resolved after it; `week`: in the next 7 × 24
 * hours.
 */
export type Period = keyof typeof periods;

export const periodLabels: Readonly<Record<Period, string>> = {
  overdue: 'overdue',
  today: 'today',
  week: 'in the next 7 days',
};

const periodNames = ['overdue', 'today', 'week'] as const satisfies readonly Period[];

export function isPeriod(text: string | undefined): text is Period {
  return periodNames.some((name) => name === text);
}

export function filterByPeriod(rows: readonly ScheduleRow[], period: Period | null, clock: Clock) {
  return period === null ? rows : rows.filter((row) => periods[period].matches(row, clock));
}

/** Counts the schedules of each period, which may overlap. */
export function countByPeriod(rows: readonly ScheduleRow[], clock: Clock) {
  return periodNames.map((name) => ({
    name,
    tone: periods[name].tone,
    count: filterByPeriod(rows, name, clock).length,
  }));
}
