import type { ActivityInterval } from '@portal/contract/sync/activity';
import { Fragment } from 'react';
import { formatDuration } from '../../../format/durations.ts';
import { formatInstant } from '../../../format/instants.ts';
import { formatCount } from '../../../format/numbers.ts';
import styles from './activity.module.css';

/** What the charts show, for screen readers and exact values. */
export function ActivityTable({ intervals }: { intervals: readonly ActivityInterval[] }) {
  const active = intervals.filter(({ at: _, ...values }) => Object.values(values).some((value) => value > 0));
  if (active.length === 0) return null;
  return (
    <details className={styles.values}>
      <summary>Values of each interval with activity</summary>
      <table aria-label="Values of each interval with activity">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To Journey</th>
            <th scope="col">To Helium</th>
            <th scope="col">Lag to Journey</th>
            <th scope="col">Lag to Helium</th>
          </tr>
        </thead>
        <tbody>
          {active.toReversed().map((interval) => (
            <tr key={interval.at}>
              <td className={styles.instant}>
                {formatInstant(new Date(interval.at), false)
                  .split(' ')
                  .map((part) => (
                    // A date breaks at its spaces only.
                    <Fragment key={part}>
                      <span>{part}</span>{' '}
                    </Fragment>
                  ))}
              </td>
              <td>{formatCount(interval.toJourney)}</td>
              <td>{formatCount(interval.toHelium)}</td>
              <td>{formatDuration(interval.toJourneyLagMs)}</td>
              <td>{formatDuration(interval.toHeliumLagMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
