import { Skeleton } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { SyncStatusChip } from '../../../sync/status.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../sync.module.css';
import { useStatusHistory } from '../use-integrations.ts';

/** Every status change with its time, author and reason, newest first. */
export function StatusHistory({ integration }: { integration: SyncIntegration }) {
  const history = useStatusHistory(integration);
  return (
    <>
      {history.isPending && <Skeleton height={80} />}
      {history.isError && <ProblemNote problem={history.error} onRetry={() => void history.refetch()} />}
      <ol className={styles.events} aria-label="Status history">
        {history.data?.map(({ at, status, by, reason }) => (
          <li key={`${at}/${status}`}>
            <SyncStatusChip status={status} />
            <span>
              by {by}, <RelativeTime at={at} />
            </span>
            {reason !== null && <span className="note">{reason}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}
