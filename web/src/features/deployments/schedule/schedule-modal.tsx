import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { ScheduleActions, type ScheduleHandlers } from './schedule-actions.tsx';
import { ScheduleFacts } from './schedule-facts.tsx';
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
    <Dialog
      // Stays closed until the list is loaded.
      opened={id !== null && schedule !== undefined}
      onClose={onClose}
      title={schedule?.releaseName ?? 'Deployment'}
      size="lg"
    >
      {schedule ? (
        <div className="stack-l">
          <ScheduleFacts schedule={schedule} product={props.product} timeZone={props.timeZone} />
          <ScheduleActions schedule={schedule} handlers={handlers} refusal={refusal} withLabels />
          <p>
            <Link to="/deployments/$schedule" params={{ schedule: schedule.id }}>
              Open the page of this release
            </Link>
          </p>
          <ScheduleHistory schedule={schedule} />
        </div>
      ) : (
        <Empty text="Schedule not found." hint="It may belong to another environment." />
      )}
    </Dialog>
  );
}
