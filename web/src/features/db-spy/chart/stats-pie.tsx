import { PieChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import { isAdditive, type Metric } from '@portal/contract/db-spy';
import { Sector } from 'recharts';
import { formatShare } from '../../../format/numbers.ts';
import type { Slice } from './pie-slices.ts';
import type { SlicePattern } from './slice-colors.ts';
import { formatCharted } from './stat-metrics.ts';
import styles from './stats-chart.module.css';

/** Smaller slices have no room for a label. */
const minAngleForRank = 0.022;
const minAngleForValue = 0.09;

/**
 * Whether slices are separated by lines. A line would cover very thin slices, and a single slice
 * needs none.
 */
function hasDividers(slices: readonly Slice[]): boolean {
  return slices.length > 1 && slices.every(({ angle }) => angle === 0 || angle >= 0.01);
}

/**
 * The pie drawing. The table next to it has the same content for screen readers and the keyboard.
 */
export function StatsPie(props: {
  slices: readonly Slice[];
  metric: Metric;
  size: number;
  /** Describes the whole drawing. */
  label: string;
  onOpen: (id: string) => void;
}) {
  const { slices, metric } = props;
  const formatSlice = (slice: Slice) =>
    isAdditive(metric) ? formatShare(slice.angle) : formatCharted(metric, slice.value);
  return (
    <div role="img" aria-label={props.label} className={styles.pie}>
      <SlicePatterns />
      <PieChart
        data={slices.map(({ key, title, value, color }) => ({ key, name: title, value, color }))}
        size={props.size}
        strokeColor="var(--color-surface)"
        strokeWidth={hasDividers(slices) ? 1.5 : 0}
        startAngle={90}
        endAngle={-270}
        withTooltip
        tooltipDataSource="segment"
        styles={{ tooltip: { maxWidth: 260 }, tooltipItemData: { whiteSpace: 'nowrap' } }}
        valueFormatter={(value) => formatCharted(metric, value)}
        accessibilityLayer={false}
        pieProps={{
          rootTabIndex: -1,
          labelLine: false,
          shape: ({ cx, cy, innerRadius, outerRadius, startAngle, endAngle, fill = '', stroke = '', index }) => {
            const place = { cx, cy, innerRadius, outerRadius, startAngle, endAngle };
            const pattern = slices[index]?.pattern ?? 'plain';
            return (
              <>
                <Sector {...place} fill={fill} stroke={stroke} />
                {pattern !== 'plain' && <Sector {...place} fill={`url(#slice-${pattern})`} className="slice-lines" />}
              </>
            );
          },
          label: ({ cx, cy, midAngle, outerRadius, index }) => {
            const slice = slices[index ?? -1];
            if (!slice || slice.angle < minAngleForRank) return null;
            const hasValue = slice.angle >= minAngleForValue;
            const distance = Number(outerRadius) * (slices.length === 1 ? 0 : 0.68);
            const radians = (-(midAngle ?? 0) * Math.PI) / 180;
            const x = Number(cx) + distance * Math.cos(radians);
            const y = Number(cy) + distance * Math.sin(radians);
            return (
              <text
                className={styles.sliceLabel}
                stroke={slice.color}
                x={x}
                y={y}
                textAnchor="middle"
                dominantBaseline="central"
              >
                <tspan x={x} dy={hasValue ? '-0.55em' : 0} className={styles.sliceName}>
                  {slice.id === null ? 'Other' : slice.name}
                </tspan>
                {hasValue && (
                  <tspan x={x} dy="1.2em">
                    {formatSlice(slice)}
                  </tspan>
                )}
              </text>
            );
          },
          onClick: (_, index) => {
            const id = slices[index]?.id;
            if (id) props.onOpen(id);
          },
        }}
      />
    </div>
  );
}

/** The lines over the colors of slices, by pattern. */
function SlicePatterns() {
  const paths: Readonly<Record<Exclude<SlicePattern, 'plain'>, string>> = {
    rising: 'M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4',
    falling: 'M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4',
    crossed: 'M0,4 h8 M4,0 v8',
  };
  return (
    <svg width={0} height={0} className={styles.patterns} aria-hidden>
      <defs>
        {Object.entries(paths).map(([pattern, path]) => (
          <pattern key={pattern} id={`slice-${pattern}`} width={8} height={8} patternUnits="userSpaceOnUse">
            <path d={path} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}
