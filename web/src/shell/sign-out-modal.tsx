// cspell:ignore nevermind (the specification's text)
import { useState } from 'react';
import { signOut } from '../session/session-store.ts';
import { useSession } from '../session/use-session.ts';
import { ConfirmModal } from '../ui/confirm-modal.tsx';

export default function SignOutModal({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const [pending, setPending] = useState(false);
  return (
    <ConfirmModal
      opened
      onClose={onClose}
      title="Going so soon?"
      confirmLabel="Sign me out!"
      cancelLabel="Nevermind."
      pending={pending}
      onConfirm={() => {
        setPending(true);
        void signOut();
      }}
    >
      You are signed into {session.environment.name} as {session.username}.
    </ConfirmModal>
  );
}
