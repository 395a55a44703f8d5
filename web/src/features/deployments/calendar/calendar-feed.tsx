import { Button, TextInput } from '@mantine/core';
import { IconCalendarShare } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { CopyButton } from '../../../ui/copyable.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { useCalendarFeed } from '../use-deployments.ts';

/** Opens the dialog to create, renew and revoke the user's own calendar feed. */
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
      <Dialog opened={isOpen} onClose={() => setIsOpen(false)} title="Calendar feed" centered>
        {/* Inside the dialog, so that the address is shown for one opening only. */}
        <Feed />
      </Dialog>
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
        Subscribe to your feed in a calendar app to see the deployments scheduled in {session.environment.name}. Anyone
        with the address can read the feed: keep it private, and revoke it if it leaks.
      </p>
      {address !== null && (
        <TextInput
          label="Address of your feed"
          description="The address is shown only once. Copy it into your calendar now."
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
          'You have no feed yet.'
        ) : (
          <>
            Your feed was created <RelativeTime at={createdAt} />.{' '}
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
        <p className={styles.quiet}>A new address disables the old one. Update every calendar that uses it.</p>
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
          {createdAt === null ? 'Create feed' : 'New address'}
        </Button>
      </div>
    </div>
  );
}
