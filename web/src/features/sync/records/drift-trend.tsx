import { Popover } from '@mantine/core';
import '@mantine/core/styles/Popover.layer.css';
import type { DriftPoint } from '@portal/contract/sync/drift';
import type { SyncObject } from '@portal/contract/sync/objects';
import { formatCount } from '../../../format/numbers.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { describeTrend, formatDifference, getTrend, layOutTrend, type TrendPoint } from './drift-line.ts';
import styles from './drift-trend.module.css';

const size = { width: 96, height: 24, margin: 3 };

/**
 * How the difference of an object developed: a small line that opens the table of its comparisons.
 */
export function DriftTrend({ object, drift }: { object: SyncObject; drift: readonly DriftPoint[] }) {
  const trend = getTrend(object, drift);
  if (trend.length === 0) return <span className="note">not compared</span>;
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles.trend}
          title={describeTrend(trend)}
          aria-label={`Trend of ${object.objectName} in ${object.platform}: ${describeTrend(trend)}`}
        >
          <TrendLine trend={trend} />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        {/* The region takes the focus, so that the keyboard can scroll its long list. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
        <section className={styles.comparisons} tabIndex={0} aria-label={`Comparisons of ${object.objectName}`}>
          <Comparisons object={object} trend={trend} />
        </section>
      </Popover.Dropdown>
    </Popover>
  );
}

function Comparisons({ object, trend }: { object: SyncObject; trend: readonly TrendPoint[] }) {
  return (
    <table>
      <caption>Comparisons of {object.objectName}</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Helium</th>
          <th scope="col">Journey</th>
          <th scope="col">Difference</th>
          <th scope="col">Drifted</th>
          <th scope="col">On hold</th>
          <th scope="col">Left as is</th>
        </tr>
      </thead>
      <tbody>
        {trend.toReversed().map(({ at, helium, journey, difference, drifted, held, leftAsIs }) => (
          <tr key={at}>
            <td>
              <RelativeTime at={at} />
            </td>
            <td>{formatCount(helium)}</td>
            <td>{formatCount(journey)}</td>
            <td>{formatDifference(difference)}</td>
            <td data-drifted={drifted > 0 || undefined}>{drifted === 0 ? 'none' : formatCount(drifted)}</td>
            <td data-drifted={held > 0 || undefined}>{held === 0 ? 'none' : formatCount(held)}</td>
            <td data-drifted={leftAsIs > 0 || undefined}>{leftAsIs === 0 ? 'none' : formatCount(leftAsIs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TrendLine({ trend }: { trend: readonly TrendPoint[] }) {
  const { points, zeroY } = layOutTrend(trend, size);
  const last = points.length - 1;
  return (
    <svg
      className={styles.line}
      width={size.width}
      height={size.height}
      viewBox={`0 0 ${size.width} ${size.height}`}
      aria-hidden="true"
    >
      <line x1={0} x2={size.width} y1={zeroY} y2={zeroY} />
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(
        ({ x, y, hasDifferences }, at) =>
          (hasDifferences || at === last) && (
            <circle key={`${x}/${y}`} cx={x} cy={y} r={2.5} data-drifted={hasDifferences || undefined} />
          ),
      )}
    </svg>
  );
}

/** Explains how to read the trend lines. */
export function DriftLegend() {
  return (
    <p className="note">
      Trend: the difference each time both sides were fully compared in the last 30 days. This happens once a day and
      whenever someone runs it under Records, Maintenance. <span className={styles.mark} aria-hidden /> marks a
      comparison that found drifted records, which were missing from the logs and repaired, records on hold, or records
      that were left: of an object that syncs in one direction only, changes on the other side stay there. They are
      listed under Records, Differences.
    </p>
  );
}
