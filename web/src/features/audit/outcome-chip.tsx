import { IconBan } from '@tabler/icons-react';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { AuditOutcome } from './audit-filter.ts';
import { formatAttempts } from './format-attempts.ts';

const toneByOutcome = { done: 'success', failed: 'danger', refused: 'warning' } as const;

export function OutcomeChip({ outcome, attempts }: { outcome: AuditOutcome; attempts: number }) {
  return (
    <StatusChip
      tone={toneByOutcome[outcome]}
      label={formatAttempts(outcome, attempts)}
      {...(outcome === 'refused' && { icon: <IconBan size={13} stroke={1.8} aria-hidden /> })}
    />
  );
}
