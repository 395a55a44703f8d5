import type { Schedule } from '@portal/contract/deployments';
import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { useResolve } from '../use-deployments.ts';

/** Returns a dialog that resolves a schedule after the user types a confirmation word. */
export function useResolveDialog() {
  const { session } = useSession();
  const resolve = useResolve();
  // Keeps its value while the dialog closes.
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
          <strong>{schedule.releaseName}</strong> of {schedule.team} in <strong>{session.environment.name}</strong> will
          be marked as resolved, whether it was completed or called off. It leaves the list and the calendar and can no
          longer be updated. Show resolved still lists it.
        </p>
      )}
    </ConfirmModal>
  );
  return { ask, dialog };
}
