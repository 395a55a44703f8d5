import {
  chartDefaults,
  chartSizes,
  type Metric,
  metricSchema,
  rangeSchema,
  type StatsRange,
} from '@portal/contract/db-spy';
import type { Address } from '../../lib/address.ts';
import type { Order } from './chart/ranking.ts';

/** What the server is asked for. */
export interface StatsFilter {
  readonly range: StatsRange;
  /** Words the whole statement must contain. */
  readonly search: string;
  readonly minCalls: number;
  /** The portal's own statements too. */
  readonly withPortalStatements: boolean;
}

/** How the chart is drawn. */
export interface ChartChoice {
  readonly metric: Metric;
  readonly order: Order;
  /** How many are charted, as wished for: `sizeFor` says how many there can be. */
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

/** What to say where there are no statements, and what one can do then. */
export function getEmptyTexts(filter: StatsFilter): { readonly text: string; readonly hint: string } {
  if (isFiltered(filter)) return { text: 'No statement matches these filters.', hint: 'Take a filter away.' };
  return {
    text: 'No Results found! No recently PG stats could be found.',
    hint:
      filter.range === 'reset'
        ? 'Statements appear here when they have run. Refresh in a moment.'
        : 'Nothing ran in this time. Look at a longer range.',
  };
}

export function readChartChoice(address: Address): ChartChoice {
  const size = Number(address.top);
  return {
    metric: metricSchema.safeParse(address.metric).data ?? chartDefaults.metric,
    order: address.order === 'ascending' ? 'ascending' : chartDefaults.order,
    size: Number.isInteger(size) && size > 0 ? size : chartDefaults.size,
    view: address.view === 'bars' ? 'bars' : 'pie',
  };
}

/** The offered size that comes nearest to the wished one without going below it. */
export function sizeFor(requested: number, rowCount: number): number {
  const sizes = chartSizes(rowCount);
  return sizes.find((size) => size >= requested) ?? sizes.at(-1) ?? chartDefaults.size;
}

/** What stands in the address as it is by default is left out of it. */
const defaults: Readonly<Record<string, string>> = {
  range: 'reset',
  metric: chartDefaults.metric,
  order: chartDefaults.order,
  top: String(chartDefaults.size),
  view: 'pie',
  calls: '0',
};

/** The address with some values set; '' and what is so by default take a value away. */
export function withValues(address: Address, values: Readonly<Record<string, string>>): Address {
  const next: Record<string, string> = { ...address };
  for (const [name, text] of Object.entries(values)) {
    if (text === '' || text === defaults[name]) delete next[name];
    else next[name] = text;
  }
  return next;
}
