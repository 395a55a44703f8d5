import { Button } from '@mantine/core';
import type { Metric } from '@portal/contract/db-spy';
import { useState } from 'react';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { SqlView } from '../../../ui/sql-view.tsx';
import { useFormattedSql } from '../statement/use-formatted-sql.ts';
import { Badge } from './charted-table.tsx';
import type { Ranked } from './ranking.ts';
import { formatCharted } from './stat-metrics.ts';
import styles from './stats-chart.module.css';

/** How many statements are added at a time; each has an editor of its own. */
const step = 10;

/** The SQL of the charted queries, numbered and colored like the slices. */
export function ChartedSql(props: { ranked: readonly Ranked[]; metric: Metric; onOpen: (id: string) => void }) {
  const [shownCount, setShownCount] = useState(step);
  const hiddenCount = props.ranked.length - shownCount;
  return (
    <section className={styles.sqlList} aria-label="SQL of the charted queries">
      <h2>SQL of the charted queries</h2>
      <ol>
        {props.ranked.slice(0, shownCount).map((ranked) => (
          <li key={ranked.row.id}>
            <div className={styles.sqlHead}>
              <Badge rank={ranked.rank} />
              <span className="quiet">{formatCharted(props.metric, ranked.value)}</span>
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                aria-label={`Details of ${ranked.rank}`}
                onClick={() => props.onOpen(ranked.row.id)}
              >
                Details
              </Button>
            </div>
            <ChartedStatement ranked={ranked} />
          </li>
        ))}
      </ol>
      {hiddenCount > 0 && (
        <Button variant="default" onClick={() => setShownCount(shownCount + step)}>
          Show {formatCount(Math.min(step, hiddenCount))} more of {formatCount(hiddenCount)}
        </Button>
      )}
    </section>
  );
}

function ChartedStatement({ ranked: { rank, row } }: { ranked: Ranked }) {
  const formatted = useFormattedSql(row.hasNoText ? null : row.query);
  if (row.hasNoText) return <p className="note">The server has discarded the text of this statement.</p>;
  const note =
    row.queryLength !== null
      ? `\n-- … truncated: ${formatPlural(row.queryLength, 'character')} in total, see its details`
      : '';
  return <SqlView sql={(formatted ?? row.query) + note} label={`Query ${rank}`} maxHeight={170} />;
}
