import { IconBan } from '@tabler/icons-react';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { AuditOutcome } from './audit-filter.ts';

const toneByOutcome = { done: 'success', failed: 'danger', refused: 'warning' } as const;

export function OutcomeChip({ outcome }: { outcome: AuditOutcome }) {
  return (
    <StatusChip
      tone={toneByOutcome[outcome]}
      label={outcome}
      {...(outcome === 'refused' && { icon: <IconBan size={13} stroke={1.8} aria-hidden /> })}
    />
  );
}
