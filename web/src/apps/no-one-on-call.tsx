import { isRosterComplete, type OnCall } from '@portal/contract/support-roster';
import { StatusChip } from '../ui/status-chip.tsx';

/** States that no one is on call for the team, or that its roster may lack the person. */
export function NoOneOnCall({ state }: { state: OnCall }) {
  return (
    <StatusChip
      tone="warning"
      label={isRosterComplete(state) ? 'No one is on call' : 'No one is known to be on call'}
    />
  );
}
