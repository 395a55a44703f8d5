import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { Schedule } from '@portal/contract/deployments';
import { useState } from 'react';
import { describeZone, wallClockOf } from '../../../lib/wall-clock.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import { When } from '../../../ui/when.tsx';
import styles from '../deployments.module.css';
import { ScheduleActions, type ScheduleActs } from './schedule-actions.tsx';
import { ScheduleHistory } from './schedule-history.tsx';
import { findSchedule, type SchedulesLoad } from './use-schedules.ts';

/** All of a schedule, and who made it what it is. */
export function ScheduleModal(props: {
  /** null: closed */
  id: string | null;
  schedules: SchedulesLoad;
  product: string;
  timeZone: string;
  refusal: string | null;
  acts: ScheduleActs;
  onClose: () => void;
}) {
  const { id, schedules, acts, refusal, onClose } = props;
  // Kept while the dialog closes.
  const [shown, setShown] = useState(id);
  if (id !== null && id !== shown) setShown(id);
  const schedule = findSchedule(schedules, id ?? shown);
  return (
    <Modal
      // While the list is on its way there is nothing to say yet.
      opened={id !== null && schedule !== undefined}
      onClose={onClose}
      title={schedule?.releaseName ?? 'Deployment'}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {schedule ? (
        <div className="stack-l">
          <ScheduleFacts schedule={schedule} product={props.product} timeZone={props.timeZone} />
          <ScheduleActions schedule={schedule} acts={acts} refusal={refusal} inWords />
          <ScheduleHistory schedule={schedule} />
        </div>
      ) : (
        <Empty text="This schedule is not there." hint="It may be of another environment." />
      )}
    </Modal>
  );
}

function ScheduleFacts({ schedule, product, timeZone }: { schedule: Schedule; product: string; timeZone: string }) {
  const at = new Date(schedule.deploymentDate);
  const isOver = schedule.scheduleStatus === 'RESOLVED';
  const facts = [
    [
      'Status',
      <StatusChip key="status" tone={isOver ? 'neutral' : 'success'} label={isOver ? 'Resolved' : 'Scheduled'} />,
    ],
    [
      'Deployment Date',
      <span key="at">
        {wallClockOf(at, timeZone)} <span className={styles.quiet}>({describeZone(timeZone, at)})</span>
      </span>,
    ],
    ['Team', schedule.team],
    ['Project', schedule.jiraProject],
    ['Data Source', schedule.dataSource],
    [product, schedule.appNames.join(', ')],
    ['Schemas', schedule.appSchemas.join(', ')],
    ['Release Name', schedule.releaseName],
    ['Release Group', schedule.releaseGroup],
    ['Release Tag', <ReleaseUrl key="url" url={schedule.releaseTag} />],
    ['Release Description', schedule.releaseDescription],
    [
      'Instructions',
      <span key="instructions" className={styles.instructions}>
        {schedule.instructions}
      </span>,
    ],
    ['Environment', schedule.environment],
    [
      'Saved',
      <span key="saved">
        by {schedule.portalUser}, <When at={schedule.updatedAt} />
      </span>,
    ],
    ['Id', <Copyable key="id" value={schedule.id} label="Copy the id" />],
  ] as const;
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

/** Old schedules may hold any text: only the address of a website becomes a link. */
function ReleaseUrl({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  );
}
