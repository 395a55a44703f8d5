import { outcomeLabels, type ScheduleField, scheduleLabels } from '@portal/contract/deployments-fields';
import { Link } from '@tanstack/react-router';
import { getServerNow } from '../../../api/server-clock.ts';
import { LongWords } from '../../../ui/long-words.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { TimeDistance } from '../../../ui/relative-time.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { getWeekday, weekdays } from '../calendar/calendar-month.ts';
import styles from '../deployments.module.css';
import { OutcomeChip } from './outcome-chip.tsx';
import { formatTime, type ScheduleRow } from './schedule-rows.ts';

/** How many names are shown before the rest are counted. */
const maxNames = 2;
/** Relative times are shown within a week only; beyond that they add nothing to the date. */
const nearMs = 7 * 86_400_000;

/** Fields shown only in the details of a schedule. */
type DetailsOnly = 'dataSource' | 'releaseTag' | 'releaseDescription' | 'instructions';

export function getScheduleColumns(product: string): DataColumn<ScheduleRow>[] {
  const labels = scheduleLabels(product);
  const columns: Record<Exclude<ScheduleField, DetailsOnly>, Omit<DataColumn<ScheduleRow>, 'id'>> = {
    deploymentDate: {
      header: labels.deploymentDate,
      value: (row) => row.at,
      cell: (row) => (
        <span className={styles.date}>
          <span>
            {weekdays[getWeekday(row.at.slice(0, 10))]?.slice(0, 3)} {row.at.slice(0, 10)} {formatTime(row)}
          </span>
          {isNear(row.schedule.deploymentDate) && (
            <span className={styles.quiet}>
              <TimeDistance at={row.schedule.deploymentDate} />
            </span>
          )}
        </span>
      ),
    },
    team: { header: labels.team, value: ({ schedule }) => schedule.team },
    jiraProject: { header: labels.jiraProject, value: ({ schedule }) => schedule.jiraProject },
    appNames: {
      header: labels.appNames,
      value: (row) => row.apps,
      cell: ({ schedule }) => <NameList names={schedule.appNames} />,
    },
    appSchemas: {
      header: labels.appSchemas,
      value: (row) => row.schemas,
      cell: ({ schedule }) => <NameList names={schedule.appSchemas} />,
    },
    releaseName: {
      header: labels.releaseName,
      namesRow: true,
      value: ({ schedule }) => schedule.releaseName,
      cell: ({ schedule }) => (
        <span className={styles.release}>
          <Link to="/deployments/$schedule" params={{ schedule: schedule.id }} className="text-link">
            <PlatformText text={schedule.releaseName} />
          </Link>
          {schedule.scheduleStatus === 'RESOLVED' && <OutcomeChip outcome={schedule.outcome} />}
        </span>
      ),
    },
    releaseGroup: { header: labels.releaseGroup, value: ({ schedule }) => schedule.releaseGroup },
  };
  return [
    ...Object.entries(columns).map(([id, column]) => ({ id, ...column })),
    // Hidden, but found by the search.
    {
      id: 'releaseTag',
      header: labels.releaseTag,
      value: ({ schedule }) => schedule.releaseTag,
      cell: ({ schedule }) => <LongWords text={schedule.releaseDescription || schedule.releaseTag} />,
      optional: true,
    },
    {
      id: 'outcome',
      header: 'Outcome',
      value: ({ schedule: { outcome } }) => outcome && outcomeLabels[outcome],
      optional: true,
    },
    {
      id: 'outcomeNote',
      header: 'Outcome note',
      value: ({ schedule }) => schedule.outcomeNote,
      optional: true,
    },
  ];
}

function isNear(instant: string): boolean {
  return Math.abs(Date.parse(instant) - getServerNow()) < nearMs;
}

function NameList({ names }: { names: readonly string[] }) {
  const rest = names.length - maxNames;
  return (
    <span className={styles.names} title={names.join(', ')}>
      {names.slice(0, maxNames).map((name) => (
        <span key={name}>
          <PlatformText text={name} />
        </span>
      ))}
      {rest > 0 && <span className={styles.quiet}>and {rest} more</span>}
    </span>
  );
}
