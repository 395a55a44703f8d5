import { type EnrollmentWaiting, removeUnlistedConfirmation } from '@portal/contract/sync/enrollment-status';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useState } from 'react';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import shared from '../sync.module.css';
import { createTimeColumn } from './record-columns.tsx';
import styles from './records-modal.module.css';
import { useEnrollment, useRemoveUnlisted, useRetryEnrollment } from './use-enrollment.ts';

/**
 * The last whole list of Journey's users, the requests and rows that wait, and the actions on them.
 */
export function Enrollment({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const { id: appId, appName } = integration;
  const enrollment = useEnrollment(appId);
  const [retry, remove] = [useRetryEnrollment(), useRemoveUnlisted()];
  const [removal, setRemoval] = useState<EnrollmentWaiting | null>(null);
  const close = () => setRemoval(null);
  const buttonProps = { variant: 'default', size: 'compact-sm', reason: refusal, disabled: retry.isPending } as const;
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
        )}{' '}
        {(total > 0 || problem !== null) && (
          <ExplainedButton {...buttonProps} onClick={() => retry.mutate({ appId })}>
            Retry all enrollment
          </ExplainedButton>
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
        csvName={`sync-enrollment-${appName}`}
        addressPrefix="enrollment"
        actions={(waits) => (
          <span className={styles.actions}>
            <ExplainedButton
              {...buttonProps}
              aria-label={`Retry ${waits.subject}`}
              onClick={() => retry.mutate({ appId, subjects: [waits.subject] })}
            >
              Retry
            </ExplainedButton>
            {waits.needsConsent && (
              <ExplainedButton
                {...buttonProps}
                aria-label={`Remove ${waits.subject}`}
                onClick={() => setRemoval(waits)}
              >
                Remove
              </ExplainedButton>
            )}
          </span>
        )}
      />
      <ConfirmModal
        opened={removal !== null}
        onClose={close}
        title={`Remove ${removal?.subject}?`}
        confirmLabel="Remove"
        cancelLabel="Cancel"
        danger
        confirmWord={removeUnlistedConfirmation}
        pending={remove.isPending}
        onConfirm={() =>
          removal &&
          remove.mutate(
            { appId, subject: removal.subject, confirmation: removeUnlistedConfirmation },
            { onSettled: close },
          )
        }
      >
        <p>
          Users lose their access in Helium, and rows of sessions are deleted with everything that the app stores in
          them. Only what Journey still does not list is removed.
        </p>
      </ConfirmModal>
    </>
  );
}

const columns: readonly DataColumn<EnrollmentWaiting>[] = [
  { id: 'subject', header: 'What waits', value: ({ subject }) => subject },
  {
    id: 'reason',
    header: 'Reason',
    value: ({ reason }) => reason,
    cell: ({ reason }) => <div className={styles.reason}>{reason}</div>,
  },
  { id: 'attempts', header: 'Failed attempts', value: ({ attempts }) => attempts, align: 'right' },
  createTimeColumn(
    { id: 'next', header: 'Next attempt', none: 'with the next list', due: 'now' },
    ({ nextAttempt }) => nextAttempt,
  ),
];
