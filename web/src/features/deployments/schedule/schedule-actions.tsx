import type { Schedule } from '@portal/contract/deployments';
import { IconCircleCheck, IconCopy, IconEdit, IconEye } from '@tabler/icons-react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import rowStyles from '../../../ui/row-actions.module.css';

/** What the page can do with a schedule. */
export interface ScheduleActs {
  /** Left out where it is in view. */
  readonly view?: (schedule: Schedule) => void;
  readonly update: (schedule: Schedule) => void;
  readonly clone: (schedule: Schedule) => void;
  readonly resolve: (schedule: Schedule) => void;
}

/** The acts on a schedule, as icons with names in a row of the table, in words elsewhere. */
export function ScheduleActions(props: {
  schedule: Schedule;
  acts: ScheduleActs;
  /** Why this user may change no schedule; null when they may. */
  refusal: string | null;
  inWords?: boolean;
}) {
  const { schedule, acts, refusal, inWords = false } = props;
  const over = schedule.scheduleStatus === 'RESOLVED' ? 'It is resolved already.' : null;
  const all = [
    { name: 'View', act: acts.view, Icon: IconEye, reason: null },
    { name: 'Update', act: acts.update, Icon: IconEdit, reason: refusal ?? over },
    { name: 'Clone', act: acts.clone, Icon: IconCopy, reason: refusal },
    { name: 'Resolve', act: acts.resolve, Icon: IconCircleCheck, reason: refusal ?? over },
  ];
  return (
    <span className={inWords ? 'wrap' : rowStyles.actions}>
      {all.map(
        ({ name, act, Icon, reason }) =>
          act &&
          // Forty buttons of the kit, four in each row of a page, would cost more than the rows at
          // each search.
          (reason === null && !inWords ? (
            <button
              key={name}
              type="button"
              className={rowStyles.action}
              title={name}
              aria-label={`${name} ${schedule.releaseName}`}
              onClick={() => act(schedule)}
            >
              <Icon size={17} stroke={1.6} aria-hidden />
            </button>
          ) : (
            <ExplainedButton
              key={name}
              {...(inWords
                ? { variant: 'default', leftSection: <Icon size={16} stroke={1.6} aria-hidden /> }
                : { variant: 'subtle', color: 'gray', size: 'compact-sm', px: 5 })}
              aria-label={inWords ? name : `${name} ${schedule.releaseName}`}
              hint={inWords ? null : name}
              reason={reason}
              onClick={() => act(schedule)}
            >
              {inWords ? name : <Icon size={17} stroke={1.6} aria-hidden />}
            </ExplainedButton>
          )),
      )}
    </span>
  );
}
