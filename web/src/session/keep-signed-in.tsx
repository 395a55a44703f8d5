import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatLocalTime } from '../format/instants.ts';
import { ConfirmModal } from '../ui/confirm-modal.tsx';
import { showProblem, showSuccess } from '../ui/popups.ts';
import { makeReadOnly } from './change-session.ts';
import { useSession } from './use-session.ts';

/**
 * A button that makes the session read-only after a confirmation, so that a screen that no one
 * touches stays signed in. Shows nothing once it is read-only, which the shell shows.
 */
export function KeepSignedIn() {
  const { session } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const until = formatLocalTime(Date.parse(session.expiresAt));
  const keep = useMutation({
    mutationFn: makeReadOnly,
    onSuccess: () => showSuccess('Screen kept signed in', `Read-only until ${until}.`),
    onError: (problem) => showProblem('Keep this screen signed in', problem),
    onSettled: () => setIsAsking(false),
  });
  if (session.isReadOnly) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconEye size={16} stroke={1.6} aria-hidden />}
        onClick={() => setIsAsking(true)}
      >
        Keep this screen signed in
      </Button>
      <ConfirmModal
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Keep this screen signed in?"
        confirmLabel="Keep signed in"
        pending={keep.isPending}
        onConfirm={() => keep.mutate()}
      >
        <p>For a screen that no one touches, such as a wallboard. It stays signed in until {until}, without use.</p>
        <p>
          Your session becomes read-only, in all tabs of this browser. To change anything, sign out and sign in again.
          This is recorded in the audit trail.
        </p>
      </ConfirmModal>
    </>
  );
}
