import { Skeleton } from '@mantine/core';
import { getStatement, resetStats, type StatRow } from '@portal/contract/db-spy';
import { useCall } from '../../../api/use-call.ts';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { useSession } from '../../../session/use-session.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { SqlView } from '../../../ui/sql-view.tsx';
import type { StatsTarget } from '../use-stats.ts';
import { hasHiddenValues } from './hidden-values.ts';
import styles from './query-detail.module.css';
import { useFormattedSql } from './use-formatted-sql.ts';

/** The formatted and highlighted statement; a truncated one is fetched in full. */
export function QueryText({ target, row }: { target: StatsTarget; row: StatRow }) {
  const { session } = useSession();
  const isTruncated = row.queryLength !== null;
  const fullStatement = useCall(
    getStatement,
    { environment: session.environment.name, ...target, id: row.id },
    { invalidatedBy: [resetStats], enabled: isTruncated, staleTime: Number.POSITIVE_INFINITY },
  );
  const sql = isTruncated && !fullStatement.isError ? (fullStatement.data?.query ?? null) : row.query;
  const formatted = useFormattedSql(sql);
  return (
    <div className={styles.text}>
      {fullStatement.isError && (
        <ProblemNote problem={fullStatement.error} onRetry={() => void fullStatement.refetch()} />
      )}
      {formatted === null ? (
        <Skeleton height={160} aria-label="Loading the statement" />
      ) : (
        <SqlView sql={formatted} label="Query" maxHeight={340} />
      )}
      {sql !== null && hasHiddenValues(sql) && (
        <p className="note">Values shown as *** are hidden, because they may be passwords.</p>
      )}
      {row.queryLength !== null && (
        <p className="note">
          {fullStatement.isError
            ? `The first ${formatCount(row.query.length)} of ${formatPlural(row.queryLength, 'character')}.`
            : `${formatPlural(row.queryLength, 'character')}.`}
        </p>
      )}
    </div>
  );
}
