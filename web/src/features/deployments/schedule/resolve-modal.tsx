import type { Schedule } from '@portal/contract/deployments';
import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { useResolve } from '../use-deployments.ts';

/** Asks, by a typed word, before a schedule ends. */
export function useResolveDialog() {
  const { session } = useSession();
  const resolve = useResolve();
  // Kept while the dialog closes.
  const [schedule, setSchedule] = useState<Schedule | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const ask = (next: Schedule) => {
    setSchedule(next);
    setIsOpen(true);
  };
  const dialog = (
    <ConfirmModal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title="Resolve this deployment?"
      confirmLabel="Resolve"
      confirmWord="RESOLVE"
      danger
      pending={resolve.isPending}
      onConfirm={() => schedule && resolve.mutate(schedule, { onSettled: () => setIsOpen(false) })}
    >
      {schedule && (
        <p>
          <strong>{schedule.releaseName}</strong> of {schedule.team} in <strong>{session.environment.name}</strong> is
          then over, or called off: it leaves the list and the calendar, cannot be updated any more, and stays among the
          resolved ones.
        </p>
      )}
    </ConfirmModal>
  );
  return { ask, dialog };
}
