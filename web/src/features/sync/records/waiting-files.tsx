import type { SyncIntegration } from '@portal/contract/sync/integration';
import type { WaitingFile } from '@portal/contract/sync/records';
import { formatCount } from '../../../format/numbers.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { createTimeColumn, recordColumns } from './record-columns.tsx';
import styles from './records-modal.module.css';
import { maxRecords, useRetryFiles, useSkipFiles, useWaitingFiles } from './use-records.ts';

/** The files of Journey that Helium does not have yet, and the actions on them. */
export function WaitingFiles({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const { id: appId, appName } = integration;
  const { data, isPending, error, refetch } = useWaitingFiles(appId);
  const [retry, skip] = [useRetryFiles(), useSkipFiles()];
  const buttonProps = {
    variant: 'default',
    size: 'compact-sm',
    reason: refusal,
    disabled: retry.isPending || skip.isPending,
  } as const;
  return (
    <>
      <p className="note">
        Each is retried automatically, at least every hour. Its record is synced without it. What Helium changes in its
        field waits for it, unless you skip it.
        {data && data.total > maxRecords && (
          <strong>
            {' '}
            Showing the first {formatCount(maxRecords)} of {formatCount(data.total)}.
          </strong>
        )}{' '}
        {data && data.total > 0 && (
          <ExplainedButton {...buttonProps} onClick={() => retry.mutate({ appId })}>
            Retry all files
          </ExplainedButton>
        )}
      </p>
      <DataTable
        name="Waiting files"
        rows={data?.files}
        rowId={({ no }) => no}
        columns={columns}
        loading={isPending}
        error={error}
        onRetry={() => void refetch()}
        emptyText="No waiting files."
        csvName={`sync-files-${appName}`}
        addressPrefix="files"
        actions={({ no, table, id, column, nextAttempt }) => (
          <span className={styles.actions}>
            <ExplainedButton
              {...buttonProps}
              aria-label={`Retry ${column} of ${table} ${id}`}
              onClick={() => retry.mutate({ appId, nos: [no] })}
            >
              Retry
            </ExplainedButton>
            {nextAttempt !== null && (
              <ExplainedButton
                {...buttonProps}
                aria-label={`Skip ${column} of ${table} ${id}`}
                onClick={() => skip.mutate({ appId, nos: [no] })}
              >
                Skip
              </ExplainedButton>
            )}
          </span>
        )}
      />
    </>
  );
}

const stateTexts = { announced: 'Not uploaded', uploaded: 'To download', downloaded: 'To write' } as const;

function toStateText({ state, nextAttempt }: WaitingFile): string {
  return nextAttempt === null ? 'Skipped' : stateTexts[state];
}

const columns: readonly DataColumn<WaitingFile>[] = [
  ...recordColumns,
  { id: 'column', header: 'Field', value: ({ column }) => column },
  {
    id: 'state',
    header: 'State',
    value: toStateText,
    cell: (file) => <span className={styles.nowrap}>{toStateText(file)}</span>,
  },
  {
    id: 'reason',
    header: 'Reason',
    value: ({ reason }) => reason,
    cell: ({ reason }) => <div className={styles.reason}>{reason}</div>,
  },
  { id: 'attempts', header: 'Failed attempts', value: ({ attempts }) => attempts, align: 'right' },
  createTimeColumn({ id: 'since', header: 'Since' }, ({ since }) => since),
  createTimeColumn(
    { id: 'nextAttempt', header: 'Next attempt', none: 'when it changes', due: 'now' },
    ({ nextAttempt }) => nextAttempt,
  ),
];
