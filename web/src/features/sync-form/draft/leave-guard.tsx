import { useBlocker } from '@tanstack/react-router';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';

/**
 * Asks before unsaved changes are left behind: for another screen here, for another page by the
 * browser itself.
 */
export function LeaveGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
  const blocker = useBlocker({ shouldBlockFn: isUnsaved, enableBeforeUnload: isUnsaved, withResolver: true });
  return (
    <ConfirmModal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Stay"
      danger
      onConfirm={() => blocker.proceed?.()}
    >
      <p>What you have changed on this form is not saved, and would be lost.</p>
    </ConfirmModal>
  );
}
