import type { EnrollmentWaiting } from '@portal/contract/sync-enrollment-status';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { formatCount, formatPlural } from '../../../lib/format.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import shared from '../sync.module.css';
import { useEnrollment } from '../use-integrations.ts';
import { createTimeColumn } from './record-columns.tsx';

/** The last whole list of Journey's users, and the requests and rows that wait. */
export function Enrollment({ integration }: { integration: SyncIntegration }) {
  const enrollment = useEnrollment(integration.id);
  const { listedAt, users = 0, sessions = 0, problem = null, waiting, total = 0 } = enrollment.data ?? {};
  return (
    <>
      {problem !== null && <p className={shared.danger}>{problem}</p>}
      <p className="note">
        {listedAt === null && 'No list of users has been written yet, or enrollment is off.'}
        {typeof listedAt === 'string' && (
          <>
            The last whole list of users had {formatPlural(users, 'user', 'users')} and{' '}
            {formatPlural(sessions, 'session', 'sessions')}, <RelativeTime at={listedAt} />.
          </>
        )}
        {waiting && total > waiting.length && (
          <strong>
            {' '}
            Showing the first {formatCount(waiting.length)} of {formatCount(total)}.
          </strong>
        )}
      </p>
      <DataTable
        name="Enrollment"
        rows={waiting}
        rowId={({ subject }) => subject}
        columns={columns}
        defaultSort={{ id: 'subject', descending: false }}
        loading={enrollment.isPending}
        error={enrollment.error}
        onRetry={() => void enrollment.refetch()}
        emptyText="Nothing waits."
        csvName={`sync-enrollment-${integration.appName}`}
        addressPrefix="enrollment"
        wide
      />
    </>
  );
}

const columns: readonly DataColumn<EnrollmentWaiting>[] = [
  { id: 'subject', header: 'What waits', value: ({ subject }) => subject },
  { id: 'reason', header: 'Reason', value: ({ reason }) => reason },
  { id: 'attempts', header: 'Attempts', value: ({ attempts }) => attempts },
  createTimeColumn(
    { id: 'next', header: 'Next attempt', none: 'with the next list' },
    ({ nextAttempt }) => nextAttempt,
  ),
];
