import { Skeleton } from '@mantine/core';
import type { Schedule } from '@portal/contract/deployments';
import { PlatformLines } from '../../../ui/platform-text.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { useScheduleHistory } from '../use-deployments.ts';

const actionLabels = { created: 'scheduled it', updated: 'updated it', resolved: 'resolved it' } as const;

/** Every save of a schedule with its changes, newest first. */
export function ScheduleHistory({ schedule }: { schedule: Schedule }) {
  const history = useScheduleHistory(schedule);
  return (
    <section className={styles.history} aria-labelledby="schedule-history">
      <h3 id="schedule-history">History</h3>
      {history.isPending && <Skeleton height={40} />}
      {history.isError && <ProblemNote problem={history.error} onRetry={() => void history.refetch()} />}
      <ol>
        {history.data?.map(({ revision, at, by, kind, changes }) => (
          <li key={revision}>
            <p>
              <strong>{by}</strong> {actionLabels[kind]} <RelativeTime at={at} />
            </p>
            {/* The initial values are visible in the later changes. */}
            {kind !== 'created' && changes.length > 0 && (
              <table className={styles.differences} aria-label="Changed values">
                <thead>
                  <tr>
                    <th scope="col">Value</th>
                    <th scope="col">Before</th>
                    <th scope="col">After</th>
                  </tr>
                </thead>
                <tbody>
                  {changes.map(({ field, before, after }) => (
                    <tr key={field}>
                      <th scope="row">{field}</th>
                      <td>
                        {before === null ? (
                          <span className={styles.quiet}>none</span>
                        ) : (
                          <del>
                            <PlatformLines text={before} />
                          </del>
                        )}
                      </td>
                      <td>
                        {after === null ? (
                          <span className={styles.quiet}>none</span>
                        ) : (
                          <ins>
                            <PlatformLines text={after} />
                          </ins>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
