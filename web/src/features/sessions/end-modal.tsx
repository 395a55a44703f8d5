import type { SignedInSession } from '@portal/contract/sessions';
import { useState } from 'react';
import { formatPlural } from '../../format/numbers.ts';
import { CheckBox } from '../../ui/check-box.tsx';
import { ConfirmModal } from '../../ui/confirm-modal.tsx';
import { type Ending, useEndSessions } from './use-sessions.ts';

interface EndModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly ending: Ending | null;
  readonly sessions: readonly SignedInSession[];
}

/** Confirms the end of one session, or of all sessions of a user except the current one. */
export function EndModal({ opened, onClose, ending, sessions }: EndModalProps) {
  const end = useEndSessions();
  const [endsAll, setEndsAll] = useState(false);
  const close = () => {
    setEndsAll(false);
    onClose();
  };
  if (ending === null) return null;
  const isOne = 'session' in ending;
  const user = isOne ? ending.session.username : ending.user;
  const count = sessions.filter(({ username, isCurrent }) => username === user && !isCurrent).length;
  return (
    <ConfirmModal
      opened={opened}
      onClose={close}
      title={isOne ? 'End this session?' : 'End your other sessions?'}
      confirmLabel="End"
      danger
      pending={end.isPending}
      onConfirm={() => end.mutate(isOne && endsAll ? { user } : ending, { onSettled: close })}
    >
      {isOne ? (
        <p>
          <strong>{user}</strong>, {ending.session.browser ?? 'an unknown browser'}
          {ending.session.address !== null && ` at ${ending.session.address}`}
          {isMoved(ending.session) &&
            `, last used with ${ending.session.lastBrowser ?? 'an unknown browser'} at ${ending.session.lastAddress}`}
        </p>
      ) : (
        <p>
          {formatPlural(count, 'session')} of <strong>{user}</strong>. The one on this page continues.
        </p>
      )}
      <p>The user can sign in again. Drafts saved in the browser are kept.</p>
      {isOne && count > 1 && (
        <CheckBox label={`End all ${count} sessions of ${user}`} checked={endsAll} onChange={setEndsAll} />
      )}
    </ConfirmModal>
  );
}

function isMoved({ address, browser, lastAddress, lastBrowser }: SignedInSession): boolean {
  return address !== lastAddress || browser !== lastBrowser;
}
