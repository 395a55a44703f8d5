import { useBlocker } from '@tanstack/react-router';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';

/**
 * Asks before the user leaves unsaved changes: in a dialog for another screen, by the browser for
 * another page.
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
      <p>Your changes to this form are not saved and will be lost.</p>
    </ConfirmModal>
  );
}
