import { NativeSelect, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import { type ActivityInterval, type ActivitySpan, activitySpans } from '@portal/contract/sync/activity';
import { type SyncIntegration, syncHealthRule } from '@portal/contract/sync/integration';
import { useNow } from '../../../api/use-now.ts';
import { formatDuration } from '../../../format/durations.ts';
import { formatCount, sum } from '../../../format/numbers.ts';
import { useAddressValue } from '../../../state/use-address.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import sync from '../sync.module.css';
import { useStatusHistory } from '../use-integrations.ts';
import styles from './activity.module.css';
import { ActivityChart } from './activity-chart.tsx';
import { describeActivity, fillIntervals, wasLate } from './activity-intervals.ts';
import { listMarks, type Period } from './activity-marks.ts';
import { ActivityTable } from './activity-table.tsx';
import { useActivity, useDeploymentsSince } from './use-activity.ts';

const spanLabels: Readonly<Record<ActivitySpan, string>> = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
};
const spanChoices = Object.entries(spanLabels).map(([value, label]) => ({ value, label }));
const isSpan = (text: string): text is ActivitySpan => Object.hasOwn(activitySpans, text);

/** Throughput and lag over time, with what may explain their changes. */
export function ActivityPanel({ integration }: { integration: SyncIntegration }) {
  const [span, setSpan] = useAddressValue('span', 'day', isSpan);
  const { data, error, refetch } = useActivity(integration.id, span);
  return (
    <>
      <NativeSelect
        className={styles.span}
        label="Time span"
        data={spanChoices}
        value={span}
        onChange={({ currentTarget: { value } }) => isSpan(value) && setSpan(value)}
      />
      {error && <ProblemNote problem={error} onRetry={() => void refetch()} hasStaleData={data !== undefined} />}
      {data ? (
        <Charts
          integration={integration}
          intervals={fillIntervals(data, activitySpans[span])}
          stepMs={activitySpans[span].stepMs}
        />
      ) : (
        !error && <Skeleton height={240} />
      )}
    </>
  );
}

function Charts(props: { integration: SyncIntegration; intervals: readonly ActivityInterval[]; stepMs: number }) {
  const { integration, intervals, stepMs } = props;
  const fromMs = intervals[0]?.at ?? 0;
  const period: Period = { fromMs, toMs: fromMs + intervals.length * stepMs };
  const { history, schedules, problems } = useEvents(integration, fromMs);
  const nowMs = useNow(60_000);
  const marks = listMarks({ history, schedules, appId: integration.id }, period, nowMs);
  const interval = formatDuration(stepMs);
  return (
    <>
      <p>{describeActivity(intervals)}.</p>
      <div className={styles.charts}>
        {(['Journey', 'Helium'] as const).map((side) => (
          <ActivityChart
            key={`records ${side}`}
            name={`Records to ${side}`}
            detail={(max) =>
              `${formatCount(sum(intervals.map(records(side))))}, at most ${formatCount(max)} in ${interval}`
            }
            intervals={intervals}
            value={records(side)}
            format={formatCount}
            period={period}
            marks={marks}
          />
        ))}
        {(['Journey', 'Helium'] as const).map((side) => (
          <ActivityChart
            key={`lag ${side}`}
            name={`Longest lag to ${side}`}
            detail={(max) => (max === 0 ? 'none' : `at most ${formatDuration(max)}`)}
            intervals={intervals}
            value={lag(side)}
            format={formatDuration}
            period={period}
            marks={marks}
          />
        ))}
      </div>
      {intervals.some(wasLate) && (
        <p className="note">
          <span className={styles.late} aria-hidden /> A change waited for more than{' '}
          {formatDuration(syncHealthRule.lateAfterMs)}.
        </p>
      )}
      <section aria-label="Events">
        <h3>Events</h3>
        {problems.map(({ problem, retry }) => (
          <ProblemNote key={problem.message} problem={problem} onRetry={retry} />
        ))}
        {marks.length === 0 && problems.length === 0 && (
          <p className="note">The integration was not changed in this time, and its app was not deployed.</p>
        )}
        <ol className={sync.events}>
          {marks.map((mark) => (
            <li key={`${mark.at}/${mark.title}/${mark.text}`}>
              <StatusChip tone={mark.tone} label={mark.title} />
              <span>{mark.text}</span>
              <span className="note">
                <RelativeTime at={mark.at} />
              </span>
            </li>
          ))}
        </ol>
      </section>
      <ActivityTable intervals={intervals} />
    </>
  );
}

const records = (side: 'Journey' | 'Helium') => (interval: ActivityInterval) => interval[`to${side}`];
const lag = (side: 'Journey' | 'Helium') => (interval: ActivityInterval) => interval[`to${side}LagMs`];

/** Loads what may explain a change of throughput or lag. */
function useEvents(integration: SyncIntegration, fromMs: number) {
  const history = useStatusHistory(integration);
  const deployments = useDeploymentsSince(new Date(fromMs).toISOString());
  const problems = [history, deployments].flatMap(({ error, refetch }) =>
    error ? [{ problem: error, retry: () => void refetch() }] : [],
  );
  return { history: history.data ?? [], schedules: deployments.data ?? [], problems };
}
