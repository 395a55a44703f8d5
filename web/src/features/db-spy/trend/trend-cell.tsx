import type { StatementTrends } from '@portal/contract/db-spy';
import { createContext, use } from 'react';
import { TrendBars } from '../../../ui/trend-bars.tsx';
import { describeTrend } from './describe-trend.ts';
import { describePeriods } from './trend-times.ts';

/** The trends of the rows on the page; undefined until they are loaded. */
export const ShownTrends = createContext<StatementTrends | undefined>(undefined);

/**
 * The total time of a statement per interval. Reads the context, so that the columns never change.
 */
export function TrendCell({ id }: { id: string }) {
  const { takenAt = [], trends } = use(ShownTrends) ?? {};
  const trend = trends?.find((one) => one.id === id);
  if (trend === undefined || trend.calls.length === 0) return <span className="quiet">–</span>;
  const [period] = describePeriods([takenAt[0] ?? '', takenAt.at(-1) ?? '']);
  return <TrendBars values={trend.total_time} label={`${describeTrend(trend)}; ${period}`} size="small" />;
}
