import type { DataColumn } from '../../ui/data-table.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { When } from '../../ui/when.tsx';
import styles from './deployments.module.css';
import { type ScheduleRow, timeOf } from './schedule-rows.ts';

/** How many names are shown before the rest is counted. */
const mostNames = 3;

export function scheduleColumnsOf(product: string): DataColumn<ScheduleRow>[] {
  return [
    {
      id: 'deploymentDate',
      header: 'Deployment Date',
      value: (row) => row.at,
      cell: (row) => (
        <span className={styles.date}>
          <span>
            {row.at.slice(0, 10)} {timeOf(row)}
          </span>
          <span className={styles.quiet}>
            <When at={row.schedule.deploymentDate} />
          </span>
        </span>
      ),
    },
    { id: 'team', header: 'Team', value: ({ schedule }) => schedule.team },
    { id: 'jiraProject', header: 'Project', value: ({ schedule }) => schedule.jiraProject },
    {
      id: 'appNames',
      header: product,
      value: (row) => row.apps,
      cell: ({ schedule }) => <Names of={schedule.appNames} />,
    },
    {
      id: 'appSchemas',
      header: 'Schemas',
      value: (row) => row.schemas,
      cell: ({ schedule }) => <Names of={schedule.appSchemas} />,
    },
    {
      id: 'releaseName',
      header: 'Release Name',
      value: ({ schedule }) => schedule.releaseName,
      cell: ({ schedule }) => (
        <span className={styles.release}>
          {schedule.releaseName}
          {schedule.scheduleStatus === 'RESOLVED' && <StatusChip tone="neutral" label="Resolved" />}
        </span>
      ),
    },
    { id: 'releaseGroup', header: 'Release Group', value: ({ schedule }) => schedule.releaseGroup },
  ];
}

function Names({ of }: { of: readonly string[] }) {
  const rest = of.length - mostNames;
  return (
    <span title={of.join(', ')}>
      {of.slice(0, mostNames).join(', ')}
      {rest > 0 && <span className={styles.quiet}> and {rest} more</span>}
    </span>
  );
}
