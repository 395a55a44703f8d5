import { Button } from '@mantine/core';
import type { SignedInSession } from '@portal/contract/sessions';
import { IconLogout } from '@tabler/icons-react';
import { useState } from 'react';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { Page } from '../../ui/page.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { EndModal } from './end-modal.tsx';
import { allColumns, ownColumns } from './session-columns.tsx';
import { type Ending, useSessions } from './use-sessions.ts';

/** Shows users where they are signed in, and administrators everyone's sessions. */
export function SessionsPage() {
  const { session } = useSession();
  const seesAll = useRefusal('sessions.end') === null;
  const sessions = useSessions();
  useProblemPopup('Unable to get the sessions', sessions);
  const rows = sessions.data?.sessions;
  // Keeps its value while the dialog closes.
  const [ending, setEnding] = useState<Ending | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const ask = (next: Ending) => {
    setEnding(next);
    setIsOpen(true);
  };
  const environment = session.environment.name;
  return (
    <Page
      crumbs={[{ label: 'Sessions' }]}
      title="Sessions"
      lead={
        seesAll
          ? `Who is signed in to ${environment}, since when and from where.`
          : `Where you are signed in to ${environment}. End each session that you do not recognize, and change your password.`
      }
      actions={
        rows?.some((row) => !row.isCurrent && row.username === session.username) && (
          <Button
            variant="default"
            leftSection={<IconLogout size={16} stroke={1.6} aria-hidden />}
            onClick={() => ask({ user: session.username })}
          >
            End my other sessions
          </Button>
        )
      }
    >
      <DataTable
        name="Sessions"
        rows={rows}
        rowId={({ id }) => id}
        columns={seesAll ? allColumns : ownColumns}
        defaultSort={{ id: 'seen', descending: true }}
        loading={sessions.isFetching}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        emptyText="There are no sessions."
        actions={(row) => <SessionActions session={row} onEnd={() => ask({ session: row })} />}
      />
      <EndModal opened={isOpen} onClose={() => setIsOpen(false)} ending={ending} sessions={rows ?? []} />
    </Page>
  );
}

function SessionActions({ session, onEnd }: { session: SignedInSession; onEnd: () => void }) {
  if (session.isCurrent) return <StatusChip tone="primary" label="This session" />;
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`End the session of ${session.username} in ${session.browser ?? 'an unknown browser'}`}
      onClick={onEnd}
    >
      End
    </Button>
  );
}
