import type { Schedule } from '@portal/contract/deployments';
import { IconCircleCheck, IconCopy, IconEdit, IconEye } from '@tabler/icons-react';
import { useTeamRefusal } from '../../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import rowStyles from '../../../ui/table/row-actions.module.css';

/** The handlers of the actions on a schedule. */
export interface ScheduleHandlers {
  /** Omitted where the schedule is already open. */
  readonly view?: (schedule: Schedule) => void;
  readonly update: (schedule: Schedule) => void;
  readonly clone: (schedule: Schedule) => void;
  readonly resolve: (schedule: Schedule) => void;
}

/** The actions on a schedule: icons in a table row, labeled buttons elsewhere. */
export function ScheduleActions(props: {
  schedule: Schedule;
  handlers: ScheduleHandlers;
  /** Why this user may not create schedules; null when they may. */
  refusal: string | null;
  withLabels?: boolean;
}) {
  const { schedule, handlers, refusal, withLabels = false } = props;
  const changeRefusal = useTeamRefusal('deployments.change', schedule.team, schedule.appIds);
  const resolvedReason = schedule.scheduleStatus === 'RESOLVED' ? 'This deployment is already resolved.' : null;
  const buttons = [
    { name: 'View', handle: handlers.view, Icon: IconEye, reason: null },
    { name: 'Update', handle: handlers.update, Icon: IconEdit, reason: changeRefusal ?? resolvedReason },
    { name: 'Clone', handle: handlers.clone, Icon: IconCopy, reason: refusal },
    { name: 'Resolve', handle: handlers.resolve, Icon: IconCircleCheck, reason: changeRefusal ?? resolvedReason },
  ];
  return (
    <span className={withLabels ? 'wrap' : rowStyles.actions}>
      {buttons.map(
        ({ name, handle, Icon, reason }) =>
          handle &&
          // Plain buttons, because four component buttons in each row would make every search
          // slower than the rows themselves.
          (reason === null && !withLabels ? (
            <button
              key={name}
              type="button"
              className={rowStyles.action}
              title={name}
              aria-label={`${name} ${schedule.releaseName}`}
              onClick={() => handle(schedule)}
            >
              <Icon size={17} stroke={1.6} aria-hidden />
            </button>
          ) : (
            <ExplainedButton
              key={name}
              {...(withLabels
                ? { variant: 'default', leftSection: <Icon size={16} stroke={1.6} aria-hidden /> }
                : { variant: 'subtle', color: 'gray', size: 'compact-sm', px: 5 })}
              aria-label={withLabels ? name : `${name} ${schedule.releaseName}`}
              hint={withLabels ? null : name}
              reason={reason}
              onClick={() => handle(schedule)}
            >
              {withLabels ? name : <Icon size={17} stroke={1.6} aria-hidden />}
            </ExplainedButton>
          )),
      )}
    </span>
  );
}
