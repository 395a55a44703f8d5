import type { ActivityInterval } from '@portal/contract/sync/activity';
import { formatInstant } from '../../../format/instants.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { TrendBars } from '../../../ui/trend-bars.tsx';
import styles from './activity.module.css';
import { wasLate } from './activity-intervals.ts';
import type { ActivityMark, Period } from './activity-marks.ts';

/** One value of all intervals as bars, with the marks as lines over them. */
export function ActivityChart(props: {
  name: string;
  detail: (max: number) => string;
  intervals: readonly ActivityInterval[];
  value: (interval: ActivityInterval) => number;
  format: (value: number) => string;
  period: Period;
  marks: readonly ActivityMark[];
}) {
  const { name, detail, intervals, value, format, period, marks } = props;
  const values = intervals.map(value);
  const text = detail(Math.max(...values));
  return (
    <figure className={styles.chart}>
      <figcaption>
        <strong>{name}</strong> <span className="note">{text}</span>
      </figcaption>
      <div className={styles.plot}>
        <TrendBars
          values={values}
          warnings={intervals.map(wasLate)}
          hints={intervals.map(
            (interval) => `${formatInstant(new Date(interval.at), false)}: ${format(value(interval))}`,
          )}
          label={`${name}: ${text}`}
          size="large"
        />
        {marks.map((mark) => (
          <span
            key={`${mark.at}/${mark.title}/${mark.text}`}
            className={styles.mark}
            data-tone={mark.tone}
            style={{ left: `${((mark.at - period.fromMs) / (period.toMs - period.fromMs)) * 100}%` }}
            title={`${formatInstant(new Date(mark.at), false)}: ${mark.title} ${mark.text}`}
          />
        ))}
      </div>
      <div className={styles.axis}>
        <RelativeTime at={period.fromMs} />
        <span>now</span>
      </div>
    </figure>
  );
}
