import type { AccessGrant } from '@portal/contract/schema-access';
import { IconArrowBackUp, IconArrowsExchange, IconLoader } from '@tabler/icons-react';
import { StatusChip } from '../../../ui/status-chip.tsx';

const icon = { size: 13, stroke: 1.8, 'aria-hidden': true } as const;

/** Shows the state of a grant. */
export function GrantStateChip({ state }: { state: AccessGrant['state'] }) {
  if (state === 'granted') return <StatusChip tone="success" label={stateLabels[state]} />;
  if (state === 'running')
    return <StatusChip tone="primary" label={stateLabels[state]} icon={<IconLoader {...icon} />} />;
  const Icon = state === 'replaced' ? IconArrowsExchange : IconArrowBackUp;
  return <StatusChip tone="neutral" label={stateLabels[state]} icon={<Icon {...icon} />} />;
}

export const stateLabels: Readonly<Record<AccessGrant['state'], string>> = {
  granted: 'Granted',
  replaced: 'Replaced',
  reverted: 'Reverted',
  running: 'Running',
};
