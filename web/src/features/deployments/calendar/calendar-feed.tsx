import { Button, Modal, TextInput } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { IconCalendarShare } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { CopyButton } from '../../../ui/copyable.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { useCalendarFeed } from '../use-deployments.ts';

/** Opens the dialog in which one gets, renews and ends the address of one's own calendar feed. */
export function CalendarFeed() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCalendarShare size={16} stroke={1.6} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        Calendar feed
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title="Calendar feed"
        centered
        closeButtonProps={{ 'aria-label': 'Close dialog' }}
      >
        {/* Inside, so that an address is told to one opening only. */}
        <Feed />
      </Modal>
    </>
  );
}

function Feed() {
  const { session } = useSession();
  const { state, create, revoke } = useCalendarFeed();
  if (state.isError) return <ProblemNote problem={state.error} onRetry={() => void state.refetch()} />;
  const address = create.data ? new URL(create.data.path, window.location.origin).href : null;
  const { createdAt = null, lastReadAt = null } = state.data ?? {};
  return (
    <div className="stack-l">
      <p className={styles.quiet}>
        A calendar that subscribes to your feed shows what is scheduled in {session.environment.name}. Whoever has its
        address can read it: keep it to yourself, and revoke it when it got about.
      </p>
      {address !== null && (
        <TextInput
          label="Address of your feed"
          description="It is shown this once. Copy it into your calendar now."
          value={address}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
          rightSection={<CopyButton value={address} label="Copy the address" />}
        />
      )}
      <p role="status">
        {state.data === undefined ? (
          'Loading …'
        ) : createdAt === null ? (
          'You have no feed.'
        ) : (
          <>
            Your feed was made <RelativeTime at={createdAt} />.{' '}
            {lastReadAt === null ? (
              'No calendar has read it yet.'
            ) : (
              <>
                It was last read <RelativeTime at={lastReadAt} />.
              </>
            )}
          </>
        )}
      </p>
      {createdAt !== null && address === null && (
        <p className={styles.quiet}>
          A new address ends the one before: calendars that have it must be given the new one.
        </p>
      )}
      <div className="buttons">
        {createdAt !== null && (
          <Button variant="default" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        )}
        <Button
          {...(createdAt !== null && { variant: 'default' })}
          loading={create.isPending}
          disabled={state.data === undefined}
          onClick={() => create.mutate()}
        >
          {createdAt === null ? 'Make my feed' : 'New address'}
        </Button>
      </div>
    </div>
  );
}
