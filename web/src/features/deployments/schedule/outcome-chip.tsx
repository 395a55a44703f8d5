import type { Outcome, Schedule } from '@portal/contract/deployments';
import { outcomeLabels } from '@portal/contract/deployments-fields';
import { StatusChip } from '../../../ui/status-chip.tsx';

const tones = { deployed: 'success', rolledBack: 'danger', calledOff: 'neutral' } as const;

/** How a resolved schedule ended; null if that was not recorded. */
export function OutcomeChip({ outcome }: { outcome: Outcome | null }) {
  return outcome === null ? (
    <StatusChip tone="neutral" label="Resolved" />
  ) : (
    <StatusChip tone={tones[outcome]} label={outcomeLabels[outcome]} />
  );
}

/** The state of a schedule: scheduled, or how it ended. */
export function ScheduleChip({ schedule }: { schedule: Pick<Schedule, 'scheduleStatus' | 'outcome'> }) {
  return schedule.scheduleStatus === 'RESOLVED' ? (
    <OutcomeChip outcome={schedule.outcome} />
  ) : (
    <StatusChip tone="success" label="Scheduled" />
  );
}
