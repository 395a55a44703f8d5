import { NativeSelect } from '@mantine/core';
import { chartSizes, metricSchema } from '@portal/contract/db-spy';
import { IconChartBar, IconChartPie } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ChartChoice } from '../stats-address.ts';
import { getMetricName } from './stat-metrics.ts';
import styles from './stats-chart.module.css';

const metricChoices = metricSchema.options.map((metric) => ({ value: metric, label: getMetricName(metric) }));
const orderChoices = [
  { value: 'descending', label: 'Descending' },
  { value: 'ascending', label: 'Ascending' },
];

/** Controls for the metric, the order, the number of statements and the chart type. */
export function ChartControls(props: {
  choice: ChartChoice;
  rowCount: number;
  /** Receives `top`, `metric`, `order` and `view` as they appear in the address. */
  onChange: (values: Readonly<Record<string, string>>) => void;
}) {
  const { choice, onChange } = props;
  return (
    <div className={styles.controls}>
      <NativeSelect
        label="Metric"
        data={metricChoices}
        value={choice.metric}
        onChange={(event) => onChange({ metric: event.currentTarget.value })}
      />
      <NativeSelect
        label="Sort"
        data={orderChoices}
        value={choice.order}
        onChange={(event) => onChange({ order: event.currentTarget.value })}
      />
      <NativeSelect
        label="Result-set size"
        data={chartSizes(props.rowCount).map(String)}
        value={String(choice.size)}
        onChange={(event) => onChange({ top: event.currentTarget.value })}
      />
      <fieldset className={styles.views} aria-label="Chart type">
        <ViewChoice {...props} view="pie" label="Pie" icon={<IconChartPie size={16} stroke={1.6} aria-hidden />} />
        <ViewChoice {...props} view="bars" label="Bars" icon={<IconChartBar size={16} stroke={1.6} aria-hidden />} />
      </fieldset>
    </div>
  );
}

function ViewChoice(props: {
  choice: ChartChoice;
  onChange: (values: Readonly<Record<string, string>>) => void;
  view: ChartChoice['view'];
  label: string;
  icon: ReactNode;
}) {
  const isChosen = props.choice.view === props.view;
  return (
    <button type="button" aria-pressed={isChosen} onClick={() => props.onChange({ view: props.view })}>
      {props.icon}
      {props.label}
    </button>
  );
}
