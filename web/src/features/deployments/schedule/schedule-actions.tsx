import type { Schedule } from '@portal/contract/deployments';
import { IconCircleCheck, IconCopy, IconEdit, IconEye } from '@tabler/icons-react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import rowStyles from '../../../ui/row-actions.module.css';

/** What the page can do with a schedule. */
export interface ScheduleHandlers {
  /** Left out where it is in view. */
  readonly view?: (schedule: Schedule) => void;
  readonly update: (schedule: Schedule) => void;
  readonly clone: (schedule: Schedule) => void;
  readonly resolve: (schedule: Schedule) => void;
}

/** The acts on a schedule, as icons with names in a row of the table, in words elsewhere. */
export function ScheduleActions(props: {
  schedule: Schedule;
  handlers: ScheduleHandlers;
  /** Why this user may change no schedule; null when they may. */
  refusal: string | null;
  withLabels?: boolean;
}) {
  const { schedule, handlers, refusal, withLabels = false } = props;
  const resolvedReason = schedule.scheduleStatus === 'RESOLVED' ? 'It is resolved already.' : null;
  const buttons = [
    { name: 'View', handle: handlers.view, Icon: IconEye, reason: null },
    { name: 'Update', handle: handlers.update, Icon: IconEdit, reason: refusal ?? resolvedReason },
    { name: 'Clone', handle: handlers.clone, Icon: IconCopy, reason: refusal },
    { name: 'Resolve', handle: handlers.resolve, Icon: IconCircleCheck, reason: refusal ?? resolvedReason },
  ];
  return (
    <span className={withLabels ? 'wrap' : rowStyles.actions}>
      {buttons.map(
        ({ name, handle, Icon, reason }) =>
          handle &&
          // Forty buttons of the kit, four in each row of a page, would cost more than the rows at
          // each search.
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
