import type { StatementTrends } from '@portal/contract/db-spy';
import { createContext, use } from 'react';
import { TrendBars } from '../../../ui/trend-bars.tsx';
import { describeTrend } from './describe-trend.ts';

/** The trends of the rows on the page; undefined until they are loaded. */
export const ShownTrends = createContext<StatementTrends | undefined>(undefined);

/**
 * The total time of a statement per interval. Reads the context, so that the columns never change.
 */
export function TrendCell({ id }: { id: string }) {
  const trend = use(ShownTrends)?.trends.find((one) => one.id === id);
  if (trend === undefined || trend.calls.length === 0) return <span className="quiet">–</span>;
  return <TrendBars values={trend.total_time} label={describeTrend(trend)} size="small" />;
}
