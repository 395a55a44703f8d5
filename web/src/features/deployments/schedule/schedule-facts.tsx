import type { Schedule } from '@portal/contract/deployments';
import { readFacts, type ScheduleField, scheduleLabels } from '@portal/contract/deployments-fields';
import type { ReactNode } from 'react';
import { describeZone, toWallClock } from '../../../format/wall-clock.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { LongWords } from '../../../ui/long-words.tsx';
import { PlatformLines, PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { ScheduleChip } from './outcome-chip.tsx';

/** Everything that is stored of a schedule. */
export function ScheduleFacts({
  schedule,
  product,
  timeZone,
}: {
  schedule: Schedule;
  product: string;
  timeZone: string;
}) {
  const at = new Date(schedule.deploymentDate);
  const rendered: Partial<Record<ScheduleField, ReactNode>> = {
    deploymentDate: (
      <>
        {toWallClock(at, timeZone)} <span className={styles.quiet}>({describeZone(timeZone, at)})</span>
      </>
    ),
    releaseTag: <ReleaseUrl url={schedule.releaseTag} />,
    instructions: <PlatformLines text={schedule.instructions} />,
  };
  const fields = readFacts(schedule, scheduleLabels(product), (date) => date);
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <ScheduleChip key="status" schedule={schedule} />],
    ...(schedule.outcomeNote === '' ? [] : [['Note', schedule.outcomeNote] as const]),
    ...fields.map(
      ({ field, label, text }) => [label, rendered[field] ?? <PlatformText key={field} text={text} />] as const,
    ),
    ['Environment', schedule.environment],
    [
      'Saved',
      <span key="saved">
        by {schedule.portalUser}, <RelativeTime at={schedule.updatedAt} />
      </span>,
    ],
    ['Id', <Copyable key="id" value={schedule.id} label="Copy the id" />],
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Old schedules may contain any text, so only web addresses become links. */
export function ReleaseUrl({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <LongWords text={url} />;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <LongWords text={url} />
    </a>
  );
}
