import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { Schedule } from '@portal/contract/deployments';
import { readFacts, type ScheduleField, scheduleLabels } from '@portal/contract/deployments-fields';
import { type ReactNode, useState } from 'react';
import { describeZone, toWallClock } from '../../../lib/wall-clock.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { LongWords } from '../../../ui/long-words.tsx';
import { PlatformLines, PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import styles from '../deployments.module.css';
import { OutcomeChip } from './outcome-chip.tsx';
import { ScheduleActions, type ScheduleHandlers } from './schedule-actions.tsx';
import { ScheduleHistory } from './schedule-history.tsx';
import { findSchedule, type SchedulesLoad } from './use-schedules.ts';

/** The details, actions and history of a schedule. */
export function ScheduleModal(props: {
  /** null: closed */
  id: string | null;
  schedules: SchedulesLoad;
  product: string;
  timeZone: string;
  refusal: string | null;
  handlers: ScheduleHandlers;
  onClose: () => void;
}) {
  const { id, schedules, handlers, refusal, onClose } = props;
  // Keeps its value while the dialog closes.
  const [shown, setShown] = useState(id);
  if (id !== null && id !== shown) setShown(id);
  const schedule = findSchedule(schedules, id ?? shown);
  return (
    <Modal
      // Stays closed until the list is loaded.
      opened={id !== null && schedule !== undefined}
      onClose={onClose}
      title={schedule?.releaseName ?? 'Deployment'}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {schedule ? (
        <div className="stack-l">
          <ScheduleFacts schedule={schedule} product={props.product} timeZone={props.timeZone} />
          <ScheduleActions schedule={schedule} handlers={handlers} refusal={refusal} withLabels />
          <ScheduleHistory schedule={schedule} />
        </div>
      ) : (
        <Empty text="Schedule not found." hint="It may belong to another environment." />
      )}
    </Modal>
  );
}

function ScheduleFacts({ schedule, product, timeZone }: { schedule: Schedule; product: string; timeZone: string }) {
  const at = new Date(schedule.deploymentDate);
  const isResolved = schedule.scheduleStatus === 'RESOLVED';
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
    [
      'Status',
      isResolved ? (
        <OutcomeChip key="status" outcome={schedule.outcome} />
      ) : (
        <StatusChip key="status" tone="success" label="Scheduled" />
      ),
    ],
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
function ReleaseUrl({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <LongWords text={url} />;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <LongWords text={url} />
    </a>
  );
}
