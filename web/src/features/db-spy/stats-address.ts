import {
  chartDefaults,
  chartSizes,
  type Metric,
  metricSchema,
  type Order,
  rangeSchema,
  type StatsRange,
} from '@portal/contract/db-spy';
import type { Address } from '../../state/address.ts';

/** The filters sent to the server. */
export interface StatsFilter {
  readonly range: StatsRange;
  /** Words the full statement must contain, or the name of the role that ran it. */
  readonly search: string;
  readonly minCalls: number;
  /** Whether the portal's own statements are included. */
  readonly withPortalStatements: boolean;
}

/** The settings of the chart. */
export interface ChartChoice {
  readonly metric: Metric;
  readonly order: Order;
  /** The requested number of statements, a multiple of 5. */
  readonly size: number;
  readonly view: 'pie' | 'bars';
}

export const rangeLabels: Readonly<Record<StatsRange, string>> = {
  reset: 'Since reset',
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last week',
};

export function readStatsFilter(address: Address): StatsFilter {
  const minCalls = Number(address.calls);
  return {
    range: rangeSchema.safeParse(address.range).data ?? 'reset',
    search: (address.sql ?? '').slice(0, 500),
    minCalls: Number.isSafeInteger(minCalls) && minCalls > 0 ? minCalls : 0,
    withPortalStatements: address.own === 'shown',
  };
}

export function isFiltered(filter: StatsFilter): boolean {
  return filter.search !== '' || filter.minCalls > 0;
}

/** Returns the text and hint for a result without statements. */
export function getEmptyTexts(filter: StatsFilter): { readonly text: string; readonly hint: string } {
  if (isFiltered(filter)) return { text: 'No statement matches these filters.', hint: 'Remove a filter.' };
  return {
    text: 'No Results found! No recently PG stats could be found.',
    hint:
      filter.range === 'reset'
        ? 'Statements appear here after they have run. Refresh in a moment.'
        : 'No statements ran in this time range. Choose a longer one.',
  };
}

/** The server returns no more statements of a chart. */
const maxChartSize = 10_000;

export function readChartChoice(address: Address): ChartChoice {
  const size = Number(address.top);
  return {
    metric: metricSchema.safeParse(address.metric).data ?? chartDefaults.metric,
    order: address.order === 'ascending' ? 'ascending' : chartDefaults.order,
    size: Number.isInteger(size) && size > 0 ? Math.ceil(Math.min(size, maxChartSize) / 5) * 5 : chartDefaults.size,
    view: address.view === 'bars' ? 'bars' : 'pie',
  };
}

/** Returns the smallest available size that is at least the requested one, or the largest. */
export function pickChartSize(requested: number, rowCount: number): number {
  const sizes = chartSizes(rowCount);
  return sizes.find((size) => size >= requested) ?? sizes.at(-1) ?? chartDefaults.size;
}

/** Default values, which the address omits. */
const defaults: Readonly<Record<string, string>> = {
  range: 'reset',
  metric: chartDefaults.metric,
  order: chartDefaults.order,
  top: String(chartDefaults.size),
  view: 'pie',
  calls: '0',
};

/** Returns the address with the values set; empty and default values are removed. */
export function withValues(address: Address, values: Readonly<Record<string, string>>): Address {
  const next: Record<string, string> = { ...address };
  for (const [name, text] of Object.entries(values)) {
    if (text === '' || text === defaults[name]) delete next[name];
    else next[name] = text;
  }
  return next;
}
